/**
 * Pages on their way to another thread. Series and help texts are copied for that, which for a
 * hundred thousand of them takes as long as reading the page; so they go ahead in pieces.
 */

import type { FamilyMetadata, SampleSeries } from "../prometheus/exposition.ts";
import type { ScrapedPage } from "../prometheus/scraped_page.ts";

/** Objects of a piece: about a millisecond of copying. */
const PIECE_LENGTH = 500;

/** Part of a page that follows. */
export interface PagePiece {
  readonly newSeries: readonly SampleSeries[];
  readonly metadata: readonly FamilyMetadata[];
}

/**
 * Sends ahead, step by step, what is too much of a page for one message.
 * @returns the page with the rest
 */
export function* sendPieces(
  page: ScrapedPage,
  send: (piece: PagePiece) => void,
): Generator<void, ScrapedPage> {
  const { newSeries, metadata } = page;
  const length = Math.max(newSeries.length, metadata?.length ?? 0);
  let at = 0;
  for (; length - at > PIECE_LENGTH; at += PIECE_LENGTH) {
    const end = at + PIECE_LENGTH;
    send({ newSeries: newSeries.slice(at, end), metadata: metadata?.slice(at, end) ?? [] });
    yield;
  }
  return { ...page, newSeries: newSeries.slice(at), metadata: metadata?.slice(at) };
}

/** The page that pieces were cut off. */
export function joinPieces(pieces: readonly PagePiece[], page: ScrapedPage): ScrapedPage {
  if (pieces.length === 0) return page;
  const { newSeries, metadata } = page;
  return {
    ...page,
    newSeries: [...pieces.flatMap((piece) => piece.newSeries), ...newSeries],
    metadata: metadata && [...pieces.flatMap((piece) => piece.metadata), ...metadata],
  };
}
