// A front end for the stories of any import, built from docs/front-end.md alone. The code
// of that page is beside this file as guide.mjs.
//
//   asked, on standard input:  {"endpoint", "token", "version", "components", "site"}
//   answered:                  {"stories": [...], "pages": {uuid: html},
//                               "fields": {uuid: {key: html}}, "resolved": count,
//                               "languages": {tag: {uuid: {"path", "pages", "links"}}}}
//
// `components` are those of the space, `site` the languages of `cmsmig schema`. A page
// shows every field by its type. `resolved` are the relations that the service resolves, in
// a page of each content type; it is an error where these are not the stories that their
// UUIDs name, and where a page that is not there is one. `languages` are the stories that
// exist in each language, with the pages in all others and the links to them.

import { readFileSync } from "node:fs";
import * as guide from "./guide.mjs";

const { endpoint, token, version, components, site } = JSON.parse(readFileSync(0, "utf8"));
const api = guide.connect(token, { endpoint, cache: { type: "none" } });
const stories = await guide.readStories(api, { version });
const schemas = Object.fromEntries(components.map(({ name, schema }) => [name, schema]));
const text = guide.escapeHtml;

// Blocks that the guide has no function for are shown field by field.
const own = Object.keys(schemas).map((name) => [name, (block) => Object.values(fields(block)).join("")]);
const named = ["figure", "embed", "html_embed", "gallery", "text_block", "quote", "table_block", "code_block"];
const rest = Object.fromEntries(own.filter(([name]) => !named.includes(name)));
const trusting = guide.createRenderer({ trustEmbeds: true, components: rest });
const isolating = guide.createRenderer({ components: rest });
let render = trusting;

function asset(value) {
  const found = guide.file(value);
  if (!found) return "";
  const picture = /\.(png|jpe?g|gif|webp|avif|svg)$/i.test(found.filename);
  if (picture) return `<img src="${text(found.filename)}" alt="${text(found.alt)}">`;
  return `<a href="${text(found.filename)}">${text(found.title || found.filename)}</a>`;
}

function link(value) {
  const target = guide.href(value);
  return target && `<a href="${text(target)}">${text(target)}</a>`;
}

function relations(value) {
  const found = guide.related(stories, value);
  return found.map(({ full_slug, name }) => `<a href="/${text(full_slug)}">${text(name)}</a>`).join(" ");
}

const day = (value) => value && `<time datetime="${guide.day(value)}">${guide.day(value)}</time>`;

function moment(value) {
  const found = guide.moment(value);
  return found && `<time datetime="${found.toISOString()}">${found.toLocaleString("en")}</time>`;
}

const SHOWN = {
  text,
  textarea: text,
  markdown: text,
  number: (value) => text(guide.number(value)),
  boolean: (value) => (value ? "yes" : "no"),
  datetime: (value, { disable_time }) => (disable_time ? day(value) : moment(value)),
  option: (value, { source }) => (source === "internal_stories" ? relations(value) : text(value)),
  options: (value, { source }) => (source === "internal_stories" ? relations(value) : text(value.join(", "))),
  asset,
  multiasset: (value) => value.map(asset).join(""),
  multilink: link,
  richtext: (value) => render(value),
  bloks: (value) => render(value),
  custom: ({ color }) => text(color),
};

function fields(block) {
  const shown = {};
  for (const [key, definition] of Object.entries(schemas[block.component])) {
    const value = block[key];
    if (value === undefined || value === null || !SHOWN[definition.type]) continue;
    shown[key] = SHOWN[definition.type](value, definition) || "";
  }
  return shown;
}

function page(story) {
  const body = Object.entries(fields(story.content)).map(([key, html]) => `<section id="${text(key)}">${html}</section>`);
  const dated = story.first_published_at ? `<time>${text(story.first_published_at)}</time>` : "";
  return `<main><h1>${text(story.name)}</h1>${dated}${body.join("")}</main>`;
}

async function resolve(story) {
  const schema = Object.entries(schemas[story.content.component]);
  const keys = schema.filter(([, { source }]) => source === "internal_stories").map(([key]) => key);
  const relations = keys.map((key) => `${story.content.component}.${key}`);
  const page = await guide.readPage(api, story.full_slug, { version, relations });
  const found = (key) => guide.related(new Map(), page.content[key]);
  for (const key of keys) {
    const wanted = guide.related(stories, story.content[key]).map(({ uuid }) => uuid);
    const given = found(key).map(({ uuid }) => uuid);
    if (wanted.join() !== given.join()) throw new Error(`${story.full_slug} ${key}: ${given} in place of ${wanted}`);
  }
  return keys.flatMap(found).length;
}

async function spoken(tag) {
  const found = await guide.readLanguage(api, site, tag, { version });
  const about = (story) => ({
    path: story.full_slug,
    pages: guide.pagesOf(story, site),
    links: guide.languageLinks(story, site, "https://new.example"),
  });
  return [tag, Object.fromEntries([...found].map(([uuid, story]) => [uuid, about(story)]))];
}

const all = [...stories.values()];
const examples = new Map(all.map((story) => [story.content.component, story]));
const resolved = (await Promise.all([...examples.values()].map(resolve))).reduce((sum, each) => sum + each, 0);
const trusted = all.map((story) => [story.uuid, fields(story.content)]);
render = isolating;
const pages = all.map((story) => [story.uuid, page(story)]);
if (await guide.readPage(api, "no/such-page", { version })) throw new Error("a missing page is a story");
const languages = Object.fromEntries(await Promise.all(site.languages.map(({ tag }) => spoken(tag))));
const answer = { stories: all, pages: Object.fromEntries(pages), fields: Object.fromEntries(trusted), resolved, languages };
process.stdout.write(JSON.stringify(answer));
