import { WORD_TOKENIZER } from "./word_tokenizer.ts";

/** A tokenizer whose special tokens frame the messages of a chat, one token each. */
export const CHAT_TOKENIZER = {
  ...WORD_TOKENIZER,
  "added_tokens": ["<s>", "<user>", "<assistant>", "<system>", "<end>"].map((content, place) => ({
    "id": 10 + place,
    "content": content,
    "single_word": false,
    "lstrip": false,
    "rstrip": false,
    "normalized": false,
    "special": true,
  })),
};

/** Its template: a token before each message, one after it, and two for the whole. */
export const CHAT_TEMPLATE = "{{ bos_token }}" +
  "{% for message in messages %}<{{ message.role }}> {{ message.content | trim }} <end>" +
  "{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}";

/** Writes both into a folder, as models have them. */
export async function writeChatTokenizer(
  folder: string,
  template: unknown = CHAT_TEMPLATE,
): Promise<void> {
  await Deno.writeTextFile(`${folder}/tokenizer.json`, JSON.stringify(CHAT_TOKENIZER));
  const config = { "bos_token": { "content": "<s>" }, "chat_template": template };
  await Deno.writeTextFile(`${folder}/tokenizer_config.json`, JSON.stringify(config));
}
