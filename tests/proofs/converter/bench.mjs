// The official converter as a rival of the bench: one process, one variant.
//
// usage: bench.mjs stock|warm BODIES.json
//
// BODIES.json: {"name of a size": [html, ...]}. Asked over standard input, a line
// each: {"size": name, "seconds": number}; answered with what one run took. `warm`
// keeps one window and one schema, and leaves out the rule that only reports.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { DOMParser } from "@tiptap/pm/model";
import { Window } from "happy-dom";
import { htmlToStoryblokRichtext } from "@storyblok/richtext/html-parser";

console.warn = () => {};

const [variant, file] = process.argv.slice(2);
const bodies = JSON.parse(readFileSync(file, "utf8"));
const stock = (html) => JSON.stringify(htmlToStoryblokRichtext(html));
const convert = variant === "warm" ? warm() : stock;

// The package does not hand out its extensions, so its schema is taken while it
// converts something.
function schemaInUse() {
  const original = DOMParser.fromSchema;
  let seen = null;
  DOMParser.fromSchema = (schema) => {
    seen = schema;
    return original.call(DOMParser, schema);
  };
  try {
    htmlToStoryblokRichtext("<p></p>");
  } finally {
    DOMParser.fromSchema = original;
  }
  return seen;
}

function warm() {
  const schema = schemaInUse();
  const rules = DOMParser.schemaRules(schema).filter((rule) => rule.mark !== "reporter");
  const parser = new DOMParser(schema, rules);
  const window = new Window({
    settings: {
      disableJavaScriptEvaluation: true,
      disableJavaScriptFileLoading: true,
      disableCSSFileLoading: true,
      disableIframePageLoading: true,
      disableComputedStyleRendering: true,
    },
  });
  const reader = new window.DOMParser();
  return (html) => {
    const page = reader.parseFromString(`<!DOCTYPE html><body>${html}</body>`, "text/html");
    return JSON.stringify(parser.parse(page.body, { preserveWhitespace: false }).toJSON());
  };
}

for (const each of Object.values(bodies).flat()) {
  if (variant === "warm" && convert(each) !== stock(each)) {
    throw new Error(`the warm variant differs on ${each.slice(0, 200)}`);
  }
}

async function run({ size, seconds }) {
  let documents = 0, bytes = 0;
  const started = performance.now(), busy = process.cpuUsage();
  const until = started + seconds * 1000;
  do {
    for (const each of bodies[size]) {
      convert(each);
      documents += 1;
      bytes += Buffer.byteLength(each);
      await new Promise(setImmediate);
      if (performance.now() > until) break;
    }
  } while (performance.now() < until);
  const took = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(busy);
  const rss = process.resourceUsage().maxRSS * 1024;
  return { documents, bytes, seconds: took, cpu: (user + system) / 1e6, rss };
}

console.log(JSON.stringify({ ready: true }));
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await run(JSON.parse(line))));
}
