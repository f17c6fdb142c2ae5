import { type Fields, ModelHttpError } from "@jaf/model-http";
import type { Endpoint } from "../endpoint.ts";
import type { GenerateRequest } from "../request/body.ts";
import type { GoogleCacheRegistry } from "./registry.ts";
import { cacheablePrompt } from "./resource.ts";

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
