import { sha256 } from "@jaf/memory/digest";
import { fieldsOf, parseJson, post, wholeText } from "@jaf/model-http";
import type { Endpoint } from "../endpoint.ts";
import type { KeptPrompt } from "./kept-prompt.ts";
import type { CacheablePrompt, MadeResource } from "./registry.ts";

/** A request to make a resource outlives the run that began it, as others may wait for it, too. */
const CREATE_TIMEOUT_MS = 30_000;

/** How much sooner than Google's it ends, so that none is named that ends on the way. */
const marginOf = (ttlSeconds: number): number => Math.min(60, ttlSeconds / 10);

/** A prompt at this address, and of whoever asks: a resource of another key's project isn't found. */
export function cacheablePrompt({ resource, ttlSeconds }: KeptPrompt, endpoint: Endpoint): CacheablePrompt {
  const owner = [endpoint.baseURL, endpoint.apiKey ?? ""];
  const sum = sha256(JSON.stringify([...owner, resource]), "hex");
  return {
    key: `jaf:google-cache:${sum}`,
    create: async () => {
      const service = endpoint.at("/cachedContents");
      const signal = AbortSignal.timeout(CREATE_TIMEOUT_MS);
      const body = { ...resource, ttl: `${ttlSeconds}s`, displayName: `jaf ${sum.slice(0, 16)}` };
      const response = await post(service, body, signal);
      return madeResource(await wholeText(response, service, signal), ttlSeconds, endpoint);
    },
  };
}

function madeResource(text: string, asked: number, { provider, at }: Endpoint): MadeResource {
  const { name, createTime, expireTime } = fieldsOf(parseJson(text));
  if (typeof name !== "string" || name === "") throw at("").errors.malformed(provider, "no cached content");
  // Both times are the service's: its clock may be another.
  const given = (Date.parse(String(expireTime)) - Date.parse(String(createTime))) / 1_000;
  const ttlSeconds = Number.isFinite(given) ? Math.min(asked, given) : asked;
  return { name, ttlSeconds: Math.max(1, Math.floor(ttlSeconds - marginOf(ttlSeconds))) };
}
