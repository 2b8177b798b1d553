/** A name of a hub, as `org/name` or, of old models, `name`. */
const HUB_NAME = /^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)?$/;

/** Whether a text may be the name of a model on a hub. */
export function isHubName(text: string): boolean {
  return HUB_NAME.test(text) && !text.includes("..") && text.length <= 200;
}
