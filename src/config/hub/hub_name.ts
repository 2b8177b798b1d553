/** A name of a hub, as `org/name` or, of old models, `name`. */
const HUB_NAME = /^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)?$/;

/** Whether a text may be the name of a branch, a tag, or a commit: it becomes part of a path. */
export function isRevision(text: string): boolean {
  return /^[A-Za-z0-9][\w./-]*$/.test(text) && !text.includes("..") && text.length <= 200;
}

/** Whether a text may be the name of a model on a hub. */
export function isHubName(text: string): boolean {
  return HUB_NAME.test(text) && !text.includes("..") && text.length <= 200;
}
