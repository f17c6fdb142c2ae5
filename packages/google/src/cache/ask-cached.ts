import { sha256 } from "@jaf/memory/digest";
import { type Fields, fieldsOf, ModelHttpError, parseJson, post, wholeText } from "@jaf/model-http";
import type { Endpoint } from "../endpoint.ts";
import type { GenerateRequest } from "../request/body.ts";
import type { KeptPrompt } from "../request/kept-prompt.ts";
import type { CacheablePrompt, GoogleCacheRegistry, MadeResource } from "./registry.ts";

interface Asked {
  readonly request: GenerateRequest;
  readonly endpoint: Endpoint;
  readonly registry: GoogleCacheRegistry;
  readonly send: (body: Fields) => Promise<Response>;
}

/**
 * The answer to a request, with its cached prompt where there is one. A resource that isn't there any more is made anew
 * once; where a request with one is refused all the same, it goes out without: no run fails for its cache.
 */
export async function askCached({ request, endpoint, registry, send }: Asked): Promise<Response> {
  const { kept, body } = request;
  if (kept === undefined) return send(body);
  const prompt = cacheablePrompt(kept, endpoint);
  let name = await registry.find(prompt);
  let isRefused = false;
  for (let attempt = 1; name !== undefined; attempt++) {
    try {
      return await send({ ...kept.rest, cachedContent: name });
    } catch (thrown) {
      const isGone = hasStatus(thrown, [403, 404]);
      if (!isGone && !hasStatus(thrown, [400])) throw thrown;
      if (isGone) await registry.forget(prompt, name);
      const isOver = !isGone || attempt === 2;
      isRefused = isOver;
      const found = isOver ? undefined : await registry.find(prompt);
      // The same: another worker is about to have it made anew.
      name = found === name ? undefined : found;
    }
  }
  const response = await send(body);
  if (isRefused) await registry.reject(prompt);
  return response;
}

/** A resource of another's, or one that has ended, is a 403 or a 404; Google's words aren't told apart here. */
const hasStatus = (thrown: unknown, statuses: readonly number[]): boolean =>
  thrown instanceof ModelHttpError && thrown.status !== undefined && statuses.includes(thrown.status);

/** A request to make a resource outlives the run that began it, as others may wait for it, too. */
const CREATE_TIMEOUT_MS = 30_000;

/** How much sooner than Google's it ends, so that none is named that ends on the way. */
const marginOf = (ttlSeconds: number): number => Math.min(60, ttlSeconds / 10);

/** A prompt at this address, and of whoever asks: a resource of another key's project isn't found. */
function cacheablePrompt({ resource, ttlSeconds }: KeptPrompt, endpoint: Endpoint): CacheablePrompt {
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
