import type { ModelProvider } from "../../packages/core/src/index.ts";
import type { ChatAnswer } from "../fakes/chat-answer.ts";

/** An answer byte by byte, or none. */
export type Raw = Exclude<ChatAnswer, { readonly kind: "reply" }>;

/** A reply of this text, a raw answer, or a reply in the words of the API's fake. */
export type Step<Reply> = string | Raw | Reply;

interface StartedService {
  readonly baseURL: string;
  readonly requests: readonly unknown[];
  /** Why it refused requests. */
  readonly refusals: readonly unknown[];
  /** How many requests are neither answered to the end nor given up by the client. */
  readonly open: () => number;
  readonly close: () => Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: it looks at no context, and works with every one
export type AnyProvider = ModelProvider<any>;

interface ProviderOptions {
  readonly model?: string | undefined;
}

/** An API, with its fake, and the provider that is tested at it. */
export interface ModelApi<Reply> {
  /** One step answers one request; the last of them answers all that come behind it. */
  readonly start: (steps: readonly Step<Reply>[]) => Promise<StartedService>;
  readonly provider: (service: Pick<StartedService, "baseURL">, options?: ProviderOptions) => AnyProvider;
  /** A provider that sends no key; absent where none can be made. */
  readonly keyless?: (service: Pick<StartedService, "baseURL">) => AnyProvider;
  /** The class of the package's errors; absent where another client makes the errors. */
  readonly errorName?: string;
  readonly error: {
    /** The body of a refusal. It quotes {@link QUOTED}. */
    readonly body: unknown;
    /** What the package's error says of that body in a 400; absent as `errorName` is. */
    readonly message?: string;
  };
  /** How the API says that it may be asked again in 20 ms. */
  readonly later: { readonly body: unknown; readonly headers?: Readonly<Record<string, string>> };
  /** A reply that holds thinking alone. */
  readonly thinks: Reply;
  readonly stream: {
    /** The data of the first events of a reply that says "Half". */
    readonly half: readonly unknown[];
    /** The data of an event that reports an error that may pass. */
    readonly error: unknown;
  };
}

/** What a service quotes in its errors, and what must not get out of the package. */
export const QUOTED = "The key sk-secret and «what was said»";

export const raw = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Raw => ({
  kind: "raw",
  status,
  headers,
  body: textOf(body),
});

/** A stream of events with these data. */
export const stream = (...events: readonly unknown[]): Raw => ({
  kind: "raw",
  headers: { "content-type": "text/event-stream" },
  body: events.map((event) => `data: ${textOf(event)}\n\n`).join(""),
});

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
