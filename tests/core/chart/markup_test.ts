import assert from "node:assert/strict";
import { element, escapedMarkup } from "../../../src/core/chart/markup.ts";

Deno.test("escapedMarkup leaves nothing of a text that markup could mean", () => {
  assert.equal(
    escapedMarkup(`</script><img src=x onerror='alert(1)' a="&">`),
    "&lt;/script&gt;&lt;img src=x onerror=&#39;alert(1)&#39; a=&quot;&amp;&quot;&gt;",
  );
  assert.equal(escapedMarkup("a\u0000b\u001b[31mc\u202ed\ud800e"), "a\ufffdb\ufffd[31mcd\ufffde");
  assert.equal(escapedMarkup("line\n\ttab 😀"), "line\n\ttab 😀");
});

Deno.test("element escapes its attributes, and leaves out those that are undefined", () => {
  assert.equal(
    element("a", { title: `"><b>`, x: 1.23456, y: undefined }, "<i></i>"),
    `<a title="&quot;&gt;&lt;b&gt;" x="1.23"><i></i></a>`,
  );
});
