import type { ModelProvider } from "../../packages/core/src/index.ts";
import type { ChatAnswer } from "../fakes/chat-answer.ts";
import type { AnyAgent, Way } from "./run.ts";

/** A raw answer, or none. */
export type Raw = Exclude<ChatAnswer, { readonly kind: "reply" }>;

/** A reply with this text, a raw answer, or a reply in the format of the API's fake. */
export type Step<Reply> = string | Raw | Reply;

interface StartedService {
  readonly baseURL: string;
  readonly requests: readonly unknown[];
  /** The reasons of refused requests. */
  readonly refusals: readonly unknown[];
  /** The number of requests that are neither complete nor cancelled. */
  readonly open: () => number;
  readonly close: () => Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: it works with any context
export type AnyProvider = ModelProvider<any>;

interface ProviderOptions {
  readonly model?: string | undefined;
}

/** The service's reason to end a reply early, and the finish reason that the engine gets. */
interface StopReason {
  readonly reason: string;
  readonly told: string;
  /** Default: both. */
  readonly way?: Way;
}

interface AskedFor<Reply> {
  readonly reply: Reply;
  /** The tool's name, which the error must contain. */
  readonly tool: string;
}

/** An API with its fake and the tested provider. */
export interface ModelApi<Reply> {
  /** Each step answers one request. The last step answers all further requests. */
  readonly start: (steps: readonly Step<Reply>[]) => Promise<StartedService>;
  readonly provider: (service: Pick<StartedService, "baseURL">, options?: ProviderOptions) => AnyProvider;
  /** Creates a provider without a key. Absent if that isn't possible. */
  readonly keyless?: (service: Pick<StartedService, "baseURL">) => AnyProvider;
  /** The name of the package's error class. */
  readonly errorName: string;
  readonly error: {
    /** The body of an HTTP error. It quotes {@link QUOTED}. */
    readonly body: unknown;
    /** The message of the package's error for this body in a 400. */
    readonly message: string;
  };
  /** The API's answer that allows a retry after 20 ms. */
  readonly later: { readonly body: unknown; readonly headers?: Readonly<Record<string, string>> };
  /** A reply with only reasoning. */
  readonly thinks: Reply;
  /** Replies without content, by what they lack. All APIs also have a reply whose text is empty. */
  readonly empty: Readonly<Record<string, Step<Reply>>>;
  /** Replies that end early. */
  readonly stops: {
    readonly reasons: readonly StopReason[];
    /** Without a text: the reply ended before it said anything. */
    readonly reply: (reason: string, text?: string) => Reply;
  };
  /** A refusal with these words. Absent if the API has none. */
  readonly refuses?: { readonly reply: Reply; readonly words: string };
  /** A call of `add` with invalid arguments and one of `nothing`, which doesn't exist. `sent`: the request with their results. */
  readonly wrongCalls: { readonly reply: Reply; readonly sent: object };
  /** A reply whose last call of a service's own tool has no result. Absent if the service has no such tools. */
  readonly unanswered?: AskedFor<Reply>;
  /** A call of a tool that the service leaves to the application, which has none. Absent if the service has no such tools. */
  readonly unconfigured?: AskedFor<Reply> & { readonly agent: Partial<AnyAgent> };
  readonly stream: {
    /** The data of the first events of a reply with the text "Half". */
    readonly half: readonly unknown[];
    /** The data of an event with a retryable error. */
    readonly error: unknown;
  };
}

/** A quotation in a service's errors, which must not leave the package. */
export const QUOTED = "The key sk-secret and «what was said»";

export const raw = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Raw => ({
  kind: "raw",
  status,
  headers,
  body: textOf(body),
});

/** A stream of events with this data. */
export const stream = (...events: readonly unknown[]): Raw => ({
  kind: "raw",
  headers: { "content-type": "text/event-stream" },
  body: events.map((event) => `data: ${textOf(event)}\n\n`).join(""),
});

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
