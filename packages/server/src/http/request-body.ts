import { isTooDeep } from "@jaf/memory/internal";
import * as z from "zod";
import { HttpFailure } from "./failure.ts";

export interface BodyLimits {
  readonly bodyBytes: number;
  /** Maximum time for receiving a request body, in ms. */
  readonly bodyTimeoutMs: number;
}

const TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;

/** Checks whether a content type is JSON. */
export const isJsonType = (contentType: string | null | undefined): boolean => TYPE.test(contentType ?? "");

/** Maximum number of bytes to read from the rest of a refused body. */
const DRAIN_BYTES = 4_000_000;
/** Maximum time for reading the rest of a refused body, in ms. */
const DRAIN_MS = 500;

/**
 * Reads a request's body and parses it as JSON. Returns `{}` if the request has no body. Throws an `HttpFailure` if the
 * body isn't JSON or exceeds the limits.
 */
export async function readJson({ body, headers }: Request, limits: BodyLimits): Promise<unknown> {
  if (body === null || headers.get("content-length") === "0") return {};
  const reader = body.getReader();
  const text = await readText(reader, headers, limits).catch(async (thrown: unknown) => {
    if (!(thrown instanceof HttpFailure)) throw thrown;
    // The next request on the connection follows after the body.
    const isOver = thrown.code !== "timeout" && (await isDrained(reader));
    throw isOver ? thrown : thrown.closingConnection();
  });
  if (text === "") return {};
  if (isTooDeep(text)) throw new HttpFailure("invalid-request", "The body is nested too deeply.");
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new HttpFailure("invalid-request", "The body isn't valid JSON.");
  }
}

/** Creates the failure for a request whose body was read by another handler and isn't in `request.body`. */
export const bodyLost = (): HttpFailure =>
  new HttpFailure("internal", "Internal server error.", {
    cause: new Error(
      "Another handler has read the body of the request and left nothing in request.body. Mount JAF's server before it.",
    ),
  });

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

async function readText(
  reader: BodyReader,
  headers: Headers,
  { bodyBytes, bodyTimeoutMs }: BodyLimits,
): Promise<string> {
  if (!isJsonType(headers.get("content-type")))
    throw new HttpFailure("not-json", "The body isn't JSON. Send it with content-type: application/json.");
  const tooLarge = () =>
    new HttpFailure(
      "too-large",
      `The body is larger than ${bodyBytes} bytes, the server's limits.bodyBytes.`,
    );
  if (Number(headers.get("content-length") ?? 0) > bodyBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const end = await readWithin(reader, bodyTimeoutMs, (chunk) => {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    return bytes <= bodyBytes;
  });
  if (end === "late") throw new HttpFailure("timeout", "The body didn't arrive in time.");
  if (end === "enough") throw tooLarge();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    return `${chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("")}${decoder.decode()}`;
  } catch (thrown) {
    throw notText(thrown);
  }
}

const notText = (cause: unknown) =>
  new HttpFailure("invalid-request", "The body isn't valid UTF-8, or is incomplete.", { cause });

/**
 * Reads a body and passes each chunk of bytes to `take`. Resolves with one of three values:
 *
 * - `"ended"`: the body ended.
 * - `"enough"`: `take` returned `false`.
 * - `"late"`: `ms` milliseconds have passed. The reader is cancelled.
 */
async function readWithin(
  reader: BodyReader,
  ms: number,
  take: (chunk: Uint8Array) => boolean,
): Promise<"ended" | "enough" | "late"> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), ms);
  });
  try {
    for (;;) {
      const read = await Promise.race([reader.read(), late]);
      if (read === "late") {
        void reader.cancel().catch(() => undefined);
        return "late";
      }
      if (read.done) return "ended";
      if (!take(read.value)) return "enough";
    }
  } catch (thrown) {
    throw notText(thrown);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the rest of a refused body. Resolves with whether the whole body has arrived within the limits. */
async function isDrained(reader: BodyReader): Promise<boolean> {
  let bytes = 0;
  try {
    const end = await readWithin(reader, DRAIN_MS, (chunk) => {
      bytes += chunk.byteLength;
      return bytes <= DRAIN_BYTES;
    });
    if (end === "enough") void reader.cancel().catch(() => undefined);
    return end === "ended";
  } catch {
    return false;
  }
}

/**
 * Validates a value with a schema and returns the parsed value. Throws an `HttpFailure` that names the invalid fields.
 * `what` is the value's name in this failure, e.g. `"body"`, and `at` is the value's path in the body.
 */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown, what: string, at: Path = []): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.flatMap(closestIssues).map((issue) => issueAt(issue, at));
  // Without the values of the fields.
  throw new HttpFailure("invalid-request", `Invalid ${what}: ${describe(issues)}.`);
}

type Issue = z.core.$ZodIssue;

/** The path of a value: field names and indexes. */
export type Path = readonly PropertyKey[];

const issueAt = (issue: Issue, at: Path): Issue => ({ ...issue, path: [...at, ...issue.path] });

/**
 * Returns the most helpful issues for an issue of a schema. Example: if the schema is "text or list" and a list has a
 * wrong item, returns the issue of the item, and not that the list isn't a text.
 */
function closestIssues(issue: Issue): readonly Issue[] {
  const options = issue.code === "invalid_union" ? issue.errors : [];
  // The first option of the union with an issue inside the value.
  const closest = options.find((issues) => issues.some(({ path }) => path.length > 0));
  return closest?.flatMap(closestIssues).map((inner) => issueAt(inner, issue.path)) ?? [issue];
}

const MOST_ISSUES = 5;

function describe(issues: readonly Issue[]): string {
  const texts = issues.slice(0, MOST_ISSUES).map((issue) => {
    const path = z.core.toDotPath(issue.path);
    const problem = issue.code === "unrecognized_keys" ? "unknown field" : issue.message.replace(/\.$/, "");
    const at = issue.code === "unrecognized_keys" ? [path, issue.keys[0]].filter(Boolean).join(".") : path;
    return at === "" ? problem : `${at.slice(0, 100)}: ${problem}`;
  });
  const more = issues.length > MOST_ISSUES ? `; and ${issues.length - MOST_ISSUES} more` : "";
  return `${texts.join("; ")}${more}`;
}
