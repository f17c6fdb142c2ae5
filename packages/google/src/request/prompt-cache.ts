import type { CacheableConfig } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import { present, stableLength, utf8Of } from "@jaf/memory/internal";
import { type Fields, fieldsOf, ModelHttpError, parseJson, post, wholeText } from "@jaf/model-http";
import type { CacheablePrompt, GoogleCacheRegistry, MadeResource } from "../cache-registry.ts";
import type { Endpoint } from "../options.ts";
import type { AssistantContext } from "./assistant-message.ts";
import { contentsOf, withUserAtBothEnds, withUserFirst } from "./messages.ts";

/** A request, split into the cached part (a `cachedContents` resource) and the rest. */
export interface CacheSplit {
  /** The resource's fields: model, instructions, tools and the first messages. */
  readonly resource: Fields;
  readonly ttlSeconds: number;
  /** The body of a request with the resource, without the resource's name. */
  readonly rest: Fields;
}

interface CacheSplitInput {
  readonly cache: CacheableConfig | false | undefined;
  readonly path: string;
  /** The body without `contents`. */
  readonly asked: Fields;
  /** The messages after the leading system messages. */
  readonly spoken: readonly RichMessage[];
  /** The number of leading system messages. */
  readonly leading: number;
  readonly context: AssistantContext;
}

/**
 * Splits a request. A request with a resource must not have instructions or tools, so both are cached together, and nothing
 * is cached if the instructions aren't declared cacheable. Tools are constant values of the agent.
 *
 * @returns `undefined` if nothing is cached.
 */
export function cacheSplitOf({
  cache,
  path,
  asked,
  spoken,
  leading,
  context,
}: CacheSplitInput): CacheSplit | undefined {
  if (cache === undefined || cache === false) return undefined;
  const { systemInstruction, tools, toolConfig, ...others } = asked;
  if (systemInstruction !== undefined && cache.instructions !== true) return undefined;
  const first = firstMessages(cache.messages, spoken, leading);
  const isNone = systemInstruction === undefined && (tools === undefined || cache.tools !== true);
  if (isNone && first === 0) return undefined;
  const calls = { ...context, calls: new Map() };
  const contents = withUserFirst(contentsOf(spoken.slice(0, first), calls));
  const resource = {
    model: path,
    ...present({ systemInstruction, tools, toolConfig }),
    ...(contents.length === 0 ? {} : { contents }),
  };
  const rest = { ...others, contents: withUserAtBothEnds(contentsOf(spoken.slice(first), calls)) };
  return { resource, ttlSeconds: durationSeconds(cache.ttl), rest };
}

/**
 * The number of messages to cache: the agent's number or fewer, so the rest begins with a user message. It is 0 until the
 * conversation is longer than that, since resources never change, and 0 for `"all"`, which would create a resource for each
 * turn. Text that a turn inserts before the newest message isn't cached.
 */
function firstMessages(
  asked: CacheableConfig["messages"],
  spoken: readonly RichMessage[],
  leading: number,
): number {
  if (asked === undefined || asked === "all" || spoken.length + leading <= asked) return 0;
  for (let count = Math.min(asked - leading, stableLength(spoken)); count > 0; count--)
    if (spoken[count]?.role === "user") return count;
  return 0;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Parses `CacheableConfig.ttl`, e.g. `"30m"`, which the engine has validated. Default: an hour. */
function durationSeconds(ttl = "1h"): number {
  return Number(ttl.slice(0, -1)) * (UNIT_SECONDS[ttl.slice(-1)] ?? 0);
}

interface CachedRequest {
  readonly request: { readonly body: Fields; readonly cacheSplit: CacheSplit | undefined };
  readonly endpoint: Endpoint;
  readonly registry: GoogleCacheRegistry;
  readonly send: (body: Fields) => Promise<Response>;
}

/**
 * Sends a request with its cached prompt, if it has one. A missing resource is created again once. If the request is still
 * refused, it is sent without the cache, so no run fails because of its cache.
 */
export async function postCached({ request, endpoint, registry, send }: CachedRequest): Promise<Response> {
  const { cacheSplit, body } = request;
  // A page without HTTPS has no `crypto.subtle`, which names the prompt.
  if (cacheSplit === undefined || globalThis.crypto.subtle === undefined) return send(body);
  const prompt = await cacheablePrompt(cacheSplit, endpoint);
  let name = await registry.find(prompt);
  let isRefused = false;
  for (let attempt = 1; name !== undefined; attempt++) {
    try {
      return await send({ ...cacheSplit.rest, cachedContent: name });
    } catch (thrown) {
      const isGone = hasStatus(thrown, [403, 404]);
      if (!isGone && !hasStatus(thrown, [400])) throw thrown;
      if (isGone) await registry.forget(prompt, name);
      const isOver = !isGone || attempt === 2;
      isRefused = isOver;
      const found = isOver ? undefined : await registry.find(prompt);
      // The same name: another worker is about to create the resource again.
      name = found === name ? undefined : found;
    }
  }
  const response = await send(body);
  if (isRefused) await registry.reject(prompt);
  return response;
}

/** For expired resources and those of other keys, Google answers 403 or 404. */
const hasStatus = (thrown: unknown, statuses: readonly number[]): boolean =>
  thrown instanceof ModelHttpError && thrown.status !== undefined && statuses.includes(thrown.status);

/** The creation of a resource isn't aborted with its run, because other runs may wait for it. */
const CREATE_TIMEOUT_MS = 30_000;

/** How many seconds before Google's expiry a resource counts as expired. */
const marginOf = (ttlSeconds: number): number => Math.min(60, ttlSeconds / 10);

/** The key includes the base URL and API key, because resources belong to the key's project. */
async function cacheablePrompt(
  { resource, ttlSeconds }: CacheSplit,
  endpoint: Endpoint,
): Promise<CacheablePrompt> {
  const owner = [endpoint.baseURL, endpoint.apiKey ?? ""];
  // The web's own hash: `sha256` would bring its code into bundles for browsers.
  const digest = await crypto.subtle.digest("SHA-256", utf8Of(JSON.stringify([...owner, resource])));
  const sum = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
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
  // Both times are from the service, since its clock may differ.
  const given = (Date.parse(String(expireTime)) - Date.parse(String(createTime))) / 1_000;
  const ttlSeconds = Number.isFinite(given) ? Math.min(asked, given) : asked;
  return { name, ttlSeconds: Math.max(1, Math.floor(ttlSeconds - marginOf(ttlSeconds))) };
}
