// The official converter as a rival of the bench: one process.
//
// usage: bench.mjs BODIES.json
//
// BODIES.json: {"name of a size": [html, ...]}. Asked over standard input, a line
// each: {"size": name, "seconds": number}; answered with what one run took.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { htmlToStoryblokRichtext } from "@storyblok/richtext/html-parser";

console.warn = () => {};

const bodies = JSON.parse(readFileSync(process.argv[2], "utf8"));
const convert = (html) => JSON.stringify(htmlToStoryblokRichtext(html));

async function run({ size, seconds }) {
  let documents = 0;
  const started = performance.now(), busy = process.cpuUsage();
  const until = started + seconds * 1000;
  do {
    for (const each of bodies[size]) {
      convert(each);
      documents += 1;
      await new Promise(setImmediate);
      if (performance.now() > until) break;
    }
  } while (performance.now() < until);
  const took = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(busy);
  const rss = process.resourceUsage().maxRSS * 1024;
  return { documents, seconds: took, cpu: (user + system) / 1e6, rss };
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await run(JSON.parse(line))));
}
