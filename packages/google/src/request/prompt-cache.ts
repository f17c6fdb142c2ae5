import type { CacheableConfig } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import { present, sha256, stableLength } from "@jaf/memory/internal";
import { type Fields, fieldsOf, ModelHttpError, parseJson, post, wholeText } from "@jaf/model-http";
import type { CacheablePrompt, GoogleCacheRegistry, MadeResource } from "../cache-registry.ts";
import type { Endpoint } from "../options.ts";
import type { AssistantContext } from "./assistant-message.ts";
import { contentsOf, withUserAtBothEnds, withUserFirst } from "./messages.ts";

/** What of a request Google is to keep, as a `cachedContents` resource. */
export interface CacheSplit {
  /** Of the resource: model, instructions, tools, and the first messages. */
  readonly resource: Fields;
  readonly ttlSeconds: number;
  /** The body of a request that names the resource, but for its name. */
  readonly rest: Fields;
}

interface CacheSplitInput {
  readonly cache: CacheableConfig | false | undefined;
  readonly path: string;
  /** The body, but for its contents. */
  readonly asked: Fields;
  /** The messages behind those of the system. */
  readonly spoken: readonly RichMessage[];
  /** How many are before those. */
  readonly leading: number;
  readonly context: AssistantContext;
}

/**
 * A request that names a resource must not carry instructions or tools, so they are kept together, and nothing is kept where
 * there are instructions that aren't declared to stay the same. Tools are values of the agent, and always do.
 *
 * @returns `undefined` where nothing is to be kept.
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
 * How many messages are kept: what the agent says, or fewer, so that the rest begins with the user's words; none as long
 * as the conversation isn't longer than that, since a resource never changes, and none for `"all"`, which would make one
 * for each turn. What a turn puts before the newest message isn't kept.
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

/** Of `CacheableConfig.ttl`, which the engine has checked, e.g. `"30m"`. Default: an hour. */
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
 * The answer to a request, with its cached prompt where there is one. A resource that isn't there any more is made anew
 * once; where a request with one is refused all the same, it goes out without: no run fails for its cache.
 */
export async function postCached({ request, endpoint, registry, send }: CachedRequest): Promise<Response> {
  const { cacheSplit, body } = request;
  if (cacheSplit === undefined) return send(body);
  const prompt = cacheablePrompt(cacheSplit, endpoint);
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
function cacheablePrompt({ resource, ttlSeconds }: CacheSplit, endpoint: Endpoint): CacheablePrompt {
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
