import type { Context } from "hono";
import * as z from "zod";
import type { ServerEnvironment } from "./environment.ts";
import { HttpFailure } from "./failure.ts";
import { isTooDeep } from "./json-depth.ts";

export interface BodyLimits {
  readonly bodyBytes: number;
  /** How long a body may take to arrive, in milliseconds. */
  readonly bodyTimeoutMs: number;
}

const TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;

/** The body as JSON, of at most so many bytes. A body that isn't there is `{}`. */
export async function readJson(
  { req }: Context<ServerEnvironment>,
  { bodyBytes, bodyTimeoutMs }: BodyLimits,
): Promise<unknown> {
  const { body, headers } = req.raw;
  if (body === null || headers.get("content-length") === "0") return {};
  const type = headers.get("content-type") ?? "";
  // A form of another site can send a text, but no JSON, without the browser asking first.
  if (!TYPE.test(type)) throw new HttpFailure("not-json", "Send JSON, with content-type: application/json.");
  const tooLarge = () => new HttpFailure("too-large", `The body is larger than ${bodyBytes} bytes.`);
  if (Number(headers.get("content-length") ?? 0) > bodyBytes) throw tooLarge();
  const text = await readText(body, { bodyBytes, bodyTimeoutMs }, tooLarge);
  if (text === "") return {};
  if (isTooDeep(text)) throw new HttpFailure("invalid-request", "The body is nested too deeply.");
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new HttpFailure("invalid-request", "The body isn't JSON.");
  }
}

async function readText(
  body: ReadableStream<Uint8Array>,
  { bodyBytes, bodyTimeoutMs }: BodyLimits,
  tooLarge: () => HttpFailure,
): Promise<string> {
  const reader = body.getReader();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void reader.cancel().catch(() => undefined);
  }, bodyTimeoutMs);
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    let [text, bytes] = ["", 0];
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.byteLength;
      if (bytes > bodyBytes) {
        void reader.cancel().catch(() => undefined);
        throw tooLarge();
      }
      text += decoder.decode(value, { stream: true });
    }
    if (isLate) throw new HttpFailure("timeout", "The body took too long.");
    return text + decoder.decode();
  } catch (thrown) {
    if (thrown instanceof HttpFailure) throw thrown;
    if (isLate) throw new HttpFailure("timeout", "The body took too long.");
    throw new HttpFailure("invalid-request", "The body is no text in UTF-8, or was cut off.", {
      cause: thrown,
    });
  } finally {
    clearTimeout(timer);
  }
}

/** Throws a failure that names the fields, without a value. */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new HttpFailure("invalid-request", `Invalid ${what}: ${describe(parsed.error)}.`);
}

const MOST_ISSUES = 5;

function describe({ issues }: z.ZodError): string {
  const shown = issues.slice(0, MOST_ISSUES).map((issue) => {
    const path = z.core.toDotPath(issue.path);
    const problem =
      issue.code === "unrecognized_keys" ? "there is no such field" : issue.message.replace(/\.$/, "");
    const at = issue.code === "unrecognized_keys" ? [path, issue.keys[0]].filter(Boolean).join(".") : path;
    return at === "" ? problem : `${at.slice(0, 100)}: ${problem}`;
  });
  const more = issues.length > MOST_ISSUES ? `; and ${issues.length - MOST_ISSUES} more` : "";
  return `${shown.join("; ")}${more}`;
}
