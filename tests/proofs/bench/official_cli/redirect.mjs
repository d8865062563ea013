// Sends what is meant for the real service to the sandbox of a bench.
const send = globalThis.fetch;
const real = "https://mapi.storyblok.com/v1";
globalThis.fetch = (asked, options) => {
  const isRequest = asked instanceof Request;
  const url = (isRequest ? asked.url : String(asked)).replace(real, process.env.SANDBOX);
  return send(isRequest ? new Request(url, asked) : url, options);
};
