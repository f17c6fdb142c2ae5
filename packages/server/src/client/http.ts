import { connectionError, errorOf, type JafClientError, malformedError } from "./client-error.ts";

/** A function that sends an HTTP request, such as the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Headers for every request, or a function that returns these headers, e.g. with a fresh access token. */
export type ClientHeaders =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/** Options of each call of the client. */
export interface CallOptions {
  /** Aborts the request. Work that the server has started continues. */
  readonly signal?: AbortSignal | undefined;
}

type Query = Readonly<Record<string, string | number | undefined>>;

interface HttpRequest extends CallOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly query?: Query;
  /** The request's body, which is sent as JSON. */
  readonly body?: unknown;
  readonly accept?: "application/json" | "text/event-stream";
  readonly lastEventId?: string;
}

/** Sends requests to one JAF server. */
export interface Http {
  /** Sends a request and returns the `data` of the JSON response. Rejects with a {@link JafClientError}. */
  readonly call: <Data>(path: string, request?: HttpRequest) => Promise<Data>;
  /** Sends a request and returns a response with status 2xx. Rejects with a {@link JafClientError}. */
  readonly send: (path: string, request?: HttpRequest) => Promise<Response>;
}

export interface HttpOptions {
  readonly baseUrl: string;
  readonly fetch: Fetch;
  readonly headers: ClientHeaders | undefined;
}

export function createHttp({ baseUrl, fetch, headers }: HttpOptions): Http {
  const base = baseUrl.replace(/\/+$/, "");

  async function send(path: string, request: HttpRequest = {}): Promise<Response> {
    const { method = "GET", query = {}, body, accept = "application/json", lastEventId, signal } = request;
    try {
      const own = typeof headers === "function" ? await headers() : headers;
      const response = await fetch(`${base}${path}${searchOf(query)}`, {
        method,
        // A redirect would take custom headers, such as an access token, to another host.
        redirect: "manual",
        headers: {
          ...own,
          accept,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
      if (!response.ok) throw await errorOf(response);
      return response;
    } catch (thrown) {
      throw connectionError(thrown, signal);
    }
  }

  async function call<Data>(path: string, request: HttpRequest = {}): Promise<Data> {
    const response = await send(path, request);
    const text = await response.text().catch((thrown: unknown) => {
      throw connectionError(thrown, request.signal);
    });
    return dataOf<Data>(text, response.status);
  }

  return { call, send };
}

function searchOf(query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? "" : `?${given}`;
}

function dataOf<Data>(text: string, status: number): Data {
  try {
    const answer = JSON.parse(text) as { readonly success?: unknown; readonly data?: unknown } | null;
    if (answer?.success === true) return answer.data as Data;
  } catch {
    // Reported below.
  }
  throw malformedError("answer", status);
}

/** The type that a value of type `T` has after JSON: dates become ISO 8601 strings, and URLs become strings. */
export type Serialized<T> = T extends Date | URL
  ? string
  : T extends string | number | boolean | null | undefined
    ? T
    : unknown extends T
      ? unknown
      : T extends readonly (infer Item)[]
        ? readonly Serialized<Item>[]
        : T extends object
          ? { readonly [Field in keyof T]: Serialized<T[Field]> }
          : never;
