// The official converter behind standard input and output, one JSON object a line.
//
//   asked:     {"id": 1, "what": "html" | "markdown" | "render" | "validate",
//              "body": string}
//   answered:  {"id": 1, "result": string}   or   {"id": 1, "error": string}
//
// A result is a JSON document as text, so that every byte arrives as the package
// wrote it; that of "render" is HTML, its body a document. The body of "validate" is
// {"blocks": [...], "contents": [...]} as text, its result one list of issues for
// each content. First comes {"ready": true}.
// Answers have the order of the questions. Ends when standard input does.

import { writeSync } from "node:fs";
import { createInterface } from "node:readline";

// The package reports attributes that it drops on the console, which would
// otherwise stand between the answers.
for (const name of ["debug", "error", "info", "log", "trace", "warn"]) {
  console[name] = () => {};
}

const [
  { htmlToStoryblokRichtext },
  { markdownToStoryblokRichtext },
  { renderRichText },
  { validateStory },
] = await Promise.all([
  import("@storyblok/richtext/html-parser"),
  import("@storyblok/richtext/markdown-parser"),
  import("@storyblok/richtext"),
  import("@storyblok/schema"),
]);

const ANSWERS = {
  html: (body) => JSON.stringify(htmlToStoryblokRichtext(body)),
  markdown: (body) => JSON.stringify(markdownToStoryblokRichtext(body)),
  render: (body) => renderRichText(JSON.parse(body)),
  validate: (body) => {
    const { blocks, contents } = JSON.parse(body);
    const issues = contents.map((content) => validateStory({ content }, { blocks }).issues);
    return JSON.stringify(issues);
  },
};

function answer(asked) {
  try {
    return { id: asked.id, result: ANSWERS[asked.what](asked.body) };
  } catch (error) {
    return { id: asked.id, error: String(error?.message ?? error) };
  }
}

// Straight to the descriptor: nothing is left behind when the process ends.
function say(value) {
  let bytes = Buffer.from(JSON.stringify(value) + "\n");
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

say({ ready: true });
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  say(answer(JSON.parse(line)));
  // A turn of the loop lets the windows of the last body be collected.
  await new Promise(setImmediate);
}
