import { MAX_REPLY_LENGTH, readText } from "./body.ts";
import { ModelHttpError, type ServiceErrors } from "./errors.ts";
import type { Fields } from "./fields.ts";
import { readEvents } from "./sse.ts";

/** A model service that is called with `POST`. */
export interface ModelService {
  /** The URL of each request. */
  readonly url: string;
  /** The headers of each request. Their names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The function that sends the requests. It must respect `redirect: "manual"`. */
  readonly fetch: typeof globalThis.fetch;
  /** The service's name in the `origin` of messages and in errors. */
  readonly provider: string;
  /** Whether the headers contain an API key. */
  readonly hasKey: boolean;
  /** Creates the errors of this service. */
  readonly errors: ServiceErrors;
}

/**
 * Sends a request with `body` as JSON. Follows no redirect. Throws the service's error if the response isn't 2xx. An
 * error that `fetch` throws is thrown unchanged.
 *
 * @example
 * ```ts
 * import { type ModelService, post, responseJson, wholeText } from "@jaf/model-http";
 *
 * declare const service: ModelService;
 *
 * export async function complete(prompt: string, signal?: AbortSignal): Promise<unknown> {
 *   const response = await post(service, { model: "my-model", prompt }, signal);
 *   return responseJson(await wholeText(response, service, signal), service.provider, service.errors);
 * }
 * ```
 */
export async function post(
  { url, headers, fetch, provider, hasKey, errors }: ModelService,
  body: Fields,
  signal: AbortSignal | undefined,
): Promise<Response> {
  // `fetch` would send the conversation to any host that a redirect names, and the key unless it is in `authorization`.
  const request = { method: "POST", headers, body: JSON.stringify(body), redirect: "manual" } as const;
  const response = await fetch(url, signal === undefined ? request : { ...request, signal });
  if (!response.ok) throw await errors.ofStatus(response, { url, provider, hasKey });
  return response;
}

/**
 * Converts what was thrown while a body was read into the error to throw. A `ModelHttpError` stays unchanged, and so
 * does an error after an abort.
 */
const bodyFailure = (
  thrown: unknown,
  { errors, provider }: ModelService,
  signal: AbortSignal | undefined,
): unknown =>
  thrown instanceof ModelHttpError || signal?.aborted === true ? thrown : errors.cut(provider, thrown);

/**
 * Reads a response's whole body as text. Throws the service's error if the body ends early or is longer than 256 MiB.
 */
export async function wholeText(
  response: Response,
  service: ModelService,
  signal: AbortSignal | undefined,
): Promise<string> {
  const text = await readText(response, MAX_REPLY_LENGTH).catch((thrown: unknown) => {
    throw bodyFailure(thrown, service, signal);
  });
  if (text === undefined) throw service.errors.malformed(service.provider, "more than 256 MiB");
  return text;
}

/**
 * Passes the data of each server-sent event in a response to `read`, and yields the values that `read` yields. Throws
 * the service's error if the stream ends early or the response isn't a stream. `read` itself must throw the service's
 * errors for invalid data.
 *
 * @example
 * ```ts
 * import { fieldsOf, type ModelService, parseJson, post, streamed } from "@jaf/model-http";
 *
 * declare const service: ModelService;
 *
 * async function* texts(events: AsyncIterable<string>): AsyncGenerator<string> {
 *   for await (const data of events) yield String(fieldsOf(parseJson(data))["text"]);
 * }
 *
 * const response = await post(service, { prompt: "Hi", stream: true }, undefined);
 * for await (const text of streamed(response, texts, { service, signal: undefined })) console.log(text);
 * ```
 */
export async function* streamed<T>(
  response: Response,
  read: (events: AsyncIterable<string>) => AsyncIterable<T>,
  { service, signal }: { readonly service: ModelService; readonly signal: AbortSignal | undefined },
): AsyncGenerator<T, void> {
  const type = response.headers.get("content-type") ?? "";
  try {
    if (type.includes("text/html") || response.body === null) {
      await response.body?.cancel();
      throw service.errors.malformed(service.provider, "no stream");
    }
    yield* read(readEvents(response.body));
  } catch (thrown) {
    throw bodyFailure(thrown, service, signal);
  }
}

/** Checks whether the response is JSON (a reply or an error), although the request asked for a stream. */
export const isUnstreamed = (response: Response): boolean =>
  (response.headers.get("content-type") ?? "").includes("application/json");
