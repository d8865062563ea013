// Reads every story of a space through the official client, as a front end would.
//
//   asked, on standard input:  {"endpoint", "token", "reads": [{"version", "language"}]}
//   answered:                  one list of stories for each read

import { readFileSync } from "node:fs";
import StoryblokClient from "storyblok-js-client";

const { endpoint, token, reads } = JSON.parse(readFileSync(0, "utf8"));
const answers = [];
for (const { version, language } of reads) {
  // A client caches what is published, whatever language it is in.
  const client = new StoryblokClient({
    accessToken: token,
    endpoint,
    cache: { type: "none" },
  });
  const asked = language ? { version, language } : { version };
  answers.push(await client.getAll("cdn/stories", { ...asked, per_page: 25 }));
}
process.stdout.write(JSON.stringify(answers));
