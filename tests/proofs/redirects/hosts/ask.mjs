// Loads the redirect files with the hosts' own code and asks each address there.
// Reads `{folder, asked: [path]}`, writes `{errors: {host: [text]}, answers: {host:
// [[status, location] | null]}}`; a host is left out where it has no file.
import { createRequire } from "node:module";
import { existsSync, readFileSync } from "node:fs";
import { parseAllRedirects } from "@netlify/redirect-parser";
import { generateRedirectsEvaluator } from "redirects-in-workers";

const require = createRequire(import.meta.url);
const redirector = require("netlify-redirector");
const { getTransformedRoutes } = require("@vercel/routing-utils");
const { folder, asked } = JSON.parse(readFileSync(0, "utf8"));
const host = "https://old.example";

const parts = (address) => {
  const at = address.indexOf("?");
  return at < 0 ? [address, ""] : [address.slice(0, at), address.slice(at + 1)];
};

// Netlify and Vercel pass a query on outside of the code that is here.
const passed = (to, query) => {
  const url = new URL(to, host);
  if (query) url.search += (url.search ? "&" : "?") + query;
  return to.startsWith("/") ? url.href.slice(host.length) : url.href;
};

const asks = (conditions, query) => {
  const given = new URLSearchParams(query);
  return (conditions ?? []).every(({ type, key, value }) => type === "host"
    ? new RegExp(`^${value}$`).test("old.example")
    : given.getAll(key).some((each) => value === undefined || new RegExp(`^${value}$`).test(each)));
};

async function netlify(path) {
  const { redirects, errors } = await parseAllRedirects({ redirectsFiles: [path] });
  // The names that the redirector knows, as Netlify's own command line gives them.
  const rules = redirects.map(({ from, query, ...rest }) => ({ ...rest, origin: from, params: query }));
  const matcher = await redirector.parseJSON(JSON.stringify(rules), {});
  const ask = (address) => {
    const [path, query] = parts(address);
    const match = matcher.match({
      scheme: "https", host: "old.example", query, headers: {}, cookieValues: {},
      path, getHeader: () => "", getCookie: () => "",
    });
    return match && !match.force404 ? [match.status, passed(match.to, query)] : null;
  };
  return { errors: errors.map(String), ask };
}

async function vercel(path) {
  const { redirects } = JSON.parse(readFileSync(path, "utf8"));
  const { routes, error } = getTransformedRoutes({ redirects });
  const rules = (routes ?? []).map((each) => ({ ...each, src: new RegExp(each.src) }));
  const ask = (requested) => {
    const [address, query] = parts(requested);
    for (const { src, status, headers, has, missing } of rules) {
      const match = src.exec(address);
      if (match && asks(has, query) && !(missing && asks(missing, query))) {
        const location = headers.Location.replace(/\$(\d+)/g, (_, number) => match[number]);
        return [status, passed(location, query)];
      }
    }
    return null;
  };
  return { errors: error ? [JSON.stringify(error)] : [], ask };
}

// A rule may serve an address as itself: no page of the new site is there.
const unfound = new Response(null, { status: 404 });

async function cloudflare(path) {
  const errors = [];
  console.log = () => {};
  console.warn = (text) => errors.push(text);
  const limits = { maxLineLength: 1000, maxStaticRules: 2000, maxDynamicRules: 100 };
  const evaluate = generateRedirectsEvaluator(readFileSync(path, "utf8"), limits);
  const ask = async (address) => {
    const answer = await evaluate(new Request(host + address), { fetch: () => unfound });
    return answer && [answer.status, answer.headers.get("location")];
  };
  return { errors, ask };
}

const files = {
  netlify: [netlify, `${folder}/netlify/_redirects`],
  vercel: [vercel, `${folder}/vercel/vercel.json`],
  cloudflare: [cloudflare, `${folder}/cloudflare/_redirects`],
};
const found = { errors: {}, answers: {} };
for (const [name, [load, path]] of Object.entries(files)) {
  if (!existsSync(path)) continue;
  const { errors, ask } = await load(path);
  found.errors[name] = errors;
  found.answers[name] = [];
  for (const address of asked) found.answers[name].push((await ask(address)) ?? null);
}
process.stdout.write(JSON.stringify(found));
