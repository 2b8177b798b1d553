/** The definition of a tokenizer of whole words, as small as they come. */
export const WORD_TOKENIZER = {
  "version": "1.0",
  "truncation": null,
  "padding": null,
  "added_tokens": [],
  "normalizer": null,
  "pre_tokenizer": { "type": "WhitespaceSplit" },
  "post_processor": null,
  "decoder": null,
  "model": { "type": "WordLevel", "vocab": { "a": 0, "b": 1, "[UNK]": 2 }, "unk_token": "[UNK]" },
};
