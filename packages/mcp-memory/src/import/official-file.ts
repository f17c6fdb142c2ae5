import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import * as z from "zod";

/** One line of the file of `@modelcontextprotocol/server-memory`, as facts; or why it can't be read. */
export type ImportedLine =
  | { readonly line: number; readonly facts: readonly string[]; readonly kind: "entity" | "relation" }
  | { readonly line: number; readonly fault: string };

const name = z.string().min(1);
const lineSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("entity"), name, entityType: z.string(), observations: z.array(z.string()) }),
  z.object({ type: z.literal("relation"), from: name, to: name, relationType: name }),
]);
type Line = z.output<typeof lineSchema>;

/**
 * Reads the file of the official memory server, which has one JSON object a line. Each observation of an entity becomes
 * a fact, `<name>: <observation>`; an entity without observations becomes `<name>: <type>`; a relation becomes `<from>
 * <relation> <to>`. A line that can't be read is reported, and the rest is read.
 */
export async function* readOfficialFile(file: string): AsyncGenerator<ImportedLine> {
  const lines = createInterface({
    input: createReadStream(file, "utf8"),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  let line = 0;
  for await (const text of lines) {
    line += 1;
    if (text.trim() !== "") yield { line, ...readLine(text) };
  }
}

type Read = { readonly facts: readonly string[]; readonly kind: Line["type"] } | { readonly fault: string };

function readLine(text: string): Read {
  const value = parsed(text);
  if (value === undefined) return { fault: "not JSON" };
  const read = lineSchema.safeParse(value);
  if (!read.success) return { fault: `not an entity or a relation (${faultOf(read.error)})` };
  return { kind: read.data.type, facts: factsOf(read.data) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const faultOf = ({ issues: [issue] }: z.ZodError): string =>
  `${issue?.path.join(".") || "the line"}: ${issue?.message ?? "invalid"}`;

function factsOf(line: Line): readonly string[] {
  if (line.type === "relation") return [`${line.from} ${wordsOf(line.relationType)} ${line.to}`];
  const { observations, entityType } = line;
  const about = observations.length === 0 ? [wordsOf(entityType)] : observations;
  return about.map((text) => `${line.name}: ${text}`);
}

/** `works_at` and `worksAt` as words. */
const wordsOf = (name: string): string =>
  name
    .replaceAll(/[_-]+/g, " ")
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")
    .toLowerCase()
    .trim();
