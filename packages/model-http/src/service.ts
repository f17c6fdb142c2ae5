import { ModelHttpError, type ServiceErrors } from "./errors.ts";
import type { Fields } from "./fields.ts";
import { readEvents } from "./sse.ts";

/** A service that is asked by `POST`, and how to tell what went wrong. */
export interface ModelService {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  /** As `origin` and errors name it. */
  readonly provider: string;
  /** Whether the headers say who asks. */
  readonly hasKey: boolean;
  readonly errors: ServiceErrors;
}

/** The answer, if it is 2xx; else it throws the service's error. */
export async function post(
  { url, headers, fetch, provider, hasKey, errors }: ModelService,
  body: Fields,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const request = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(url, signal === undefined ? request : { ...request, signal });
  if (!response.ok) throw await errors.ofStatus(response, { provider, hasKey });
  return response;
}

/** What a body that can't be read to its end throws: whatever the client says of it, the connection is gone. */
const bodyFailure = (
  thrown: unknown,
  { errors, provider }: ModelService,
  signal: AbortSignal | undefined,
): unknown =>
  thrown instanceof ModelHttpError || signal?.aborted === true ? thrown : errors.cut(provider, thrown);

/** The whole body; throws the service's error where it is cut off. */
export const wholeText = (
  response: Response,
  service: ModelService,
  signal: AbortSignal | undefined,
): Promise<string> =>
  response.text().catch((thrown: unknown) => {
    throw bodyFailure(thrown, service, signal);
  });

/**
 * What `read` makes of the data of each event of a streamed answer; throws the service's error where it is cut off, or no
 * stream. `read` throws the service's errors, too.
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

/** Whether it was asked for a stream, and answers all the same in one piece: with the reply, or with an error. */
export const isUnstreamed = (response: Response): boolean =>
  (response.headers.get("content-type") ?? "").includes("application/json");
