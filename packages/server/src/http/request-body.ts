import * as z from "zod";
import { HttpFailure } from "./failure.ts";

export interface BodyLimits {
  readonly bodyBytes: number;
  /** Maximum time until a body has arrived, in ms. */
  readonly bodyTimeoutMs: number;
}

const TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;

/** Checks for a JSON content type, which a form of another site can't send without a CORS preflight. */
export const isJsonType = (contentType: string | null | undefined): boolean => TYPE.test(contentType ?? "");

/** A refused body is read up to these limits. Beyond them, the connection closes. */
const DRAIN_BYTES = 4_000_000;
const DRAIN_MS = 500;

/** Reads the body as JSON, within the limits. Returns `{}` if there is no body. */
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

/** Creates the failure for a body that another handler has read. */
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

/** Reads until `take` returns `false`, the body ends, or the time is over. After that, the reader can't be used. */
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

/** Reads the rest of a body within limits. Resolves with whether the body has ended. */
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

/** The maximum depth that memory providers store. */
const MAX_DEPTH = 200;

/** Checks whether JSON is nested deeper than values that can be stored. Deeper values could overflow the stack of recursive code. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') index = endOfString(text, index);
    else if (character === "[" || character === "{") {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (character === "]" || character === "}") depth -= 1;
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === "\\" ? 2 : 1;
  return index;
}

/** Parses a value by its schema. Throws a failure that names the invalid fields, without their values. */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new HttpFailure("invalid-request", `Invalid ${what}: ${describe(parsed.error)}.`);
}

const MOST_ISSUES = 5;

function describe({ issues }: z.ZodError): string {
  const texts = issues.slice(0, MOST_ISSUES).map((issue) => {
    const path = z.core.toDotPath(issue.path);
    const problem = issue.code === "unrecognized_keys" ? "unknown field" : issue.message.replace(/\.$/, "");
    const at = issue.code === "unrecognized_keys" ? [path, issue.keys[0]].filter(Boolean).join(".") : path;
    return at === "" ? problem : `${at.slice(0, 100)}: ${problem}`;
  });
  const more = issues.length > MOST_ISSUES ? `; and ${issues.length - MOST_ISSUES} more` : "";
  return `${texts.join("; ")}${more}`;
}
