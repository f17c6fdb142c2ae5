import { type Framework, SAID } from "./framework.ts";

/** What another framework's model is given of a conversation, by the name of each thing that was said. */
const THINGS: Readonly<Record<string, readonly string[]>> = {
  "texts of user and model": [SAID.question, SAID.answer],
  "image of the user": [SAID.photo],
  "tool call and its arguments": [SAID.callId, "look", "17"],
  "result of the tool": [SAID.result],
  "text of the reasoning": [SAID.reasoning],
  "signature of the reasoning": [SAID.signature],
};

/** Returns a text in which everything that `given` holds can be found. Bytes count as their base64 text. */
function textOf(given: unknown): string {
  const texts: string[] = [];
  const visit = (value: unknown): void => {
    if (value instanceof Uint8Array) texts.push(Buffer.from(value).toString("base64"));
    else if (value instanceof URL) texts.push(value.href);
    else if (typeof value === "object" && value !== null)
      for (const inner of Object.values(value)) visit(inner);
    else texts.push(String(value));
  };
  visit(given);
  return texts.join("\n");
}

/** The names of the things that a model was given. */
export function thingsIn(given: unknown): ReadonlySet<string> {
  const text = textOf(given);
  const found = Object.entries(THINGS).filter(([, parts]) => parts.every((part) => text.includes(part)));
  return new Set(found.map(([name]) => name));
}

/** What the engines of a conversation's framework (`from`) and of another one (`to`) were seen to do. */
export interface Crossing {
  readonly from: Framework;
  readonly to: Framework;
  readonly given: ReadonlySet<string>;
  /** Whether the framework that began the conversation gets its own messages back exactly after the other's turn. */
  readonly isBack: boolean;
}

/** Writes the crossings as a table in Markdown. */
export function crossingTable(crossings: readonly Crossing[], frameworks: readonly Framework[]): string {
  const names = frameworks.map(({ name }) => name);
  const cell = (from: Framework, to: Framework, shows: (crossing: Crossing) => boolean): string => {
    const crossing = crossings.find((one) => one.from === from && one.to === to);
    return crossing !== undefined && shows(crossing) ? "yes" : "no";
  };
  const rows = frameworks.flatMap((from) => [
    ...Object.keys(THINGS).map((thing) => [
      from.name,
      thing,
      ...frameworks.map((to) => cell(from, to, ({ given }) => given.has(thing))),
    ]),
    [
      from.name,
      "own messages come back exactly afterwards",
      ...frameworks.map((to) => cell(from, to, ({ isBack }) => isBack)),
    ],
  ]);
  const head = ["begun under", "what the next model is given", ...names.map((name) => `under ${name}`)];
  // As wide as the formatter of the documents makes it.
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const lines = [head, widths.map((width) => "-".repeat(width)), ...rows];
  const padded = lines.map((line) => line.map((text, column) => text.padEnd(widths[column] ?? 0)));
  return padded.map((line) => `| ${line.join(" | ")} |`).join("\n");
}
