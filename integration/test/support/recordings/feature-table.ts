import { expect } from "vitest";
import { FEATURES } from "../../../../test/recordings/features.ts";
import type { Json, Recording } from "../../../../test/recordings/recording.ts";
import type { Replayed } from "../../../../test/recordings/replay.ts";
import { APIS, type ApiName, type Recorded } from "./all.ts";
import { textsIn } from "./foreign.ts";

/** The columns, in order. */
const COLUMNS = {
  "openai-chat": "OpenAI, chat",
  "openai-responses": "OpenAI, responses",
  anthropic: "Anthropic",
  google: "Gemini",
  "ai-sdk": "AI SDK",
} as const satisfies Readonly<Record<ApiName | "ai-sdk", string>>;

type Column = keyof typeof COLUMNS;

/** The vendors of the APIs, whose names stand in the column of the AI SDK. */
const VENDORS: Readonly<Record<ApiName, string>> = {
  "openai-chat": "OpenAI",
  "openai-responses": "OpenAI",
  anthropic: "Anthropic",
  google: "Google",
};

/** What a replay has shown of a feature. */
export interface Observed {
  readonly feature: string;
  readonly column: Column;
  /** Empty: the column's own vendor. */
  readonly service: string;
  /** The first request asked for it: by what the recording says, or by all settings of the agent. */
  readonly isRequested: boolean;
  /** Absent: the run failed, as it should. */
  readonly kept: Extent | undefined;
  /** Absent: the same. */
  readonly sentBack: Extent | undefined;
}

/** How much of the reply's content, beside its texts, was found. */
type Extent = "all" | "part" | "none";

/** The content of a reply, where the APIs have it. The rest identifies and counts it. */
const CONTENT: Readonly<Record<ApiName, (reply: Json) => unknown>> = {
  "openai-chat": ({ choices, citations, search_results }) => [choices, citations, search_results],
  "openai-responses": ({ output }) => output,
  anthropic: ({ content }) => content,
  google: ({ candidates }) => candidates,
};

/** Fields that say how a reply ended or what a part is, and the names of tools, which services get in their own form. */
const FORM = new Set([...["type", "role", "index", "status", "finish_reason", "finishReason", "name"]]);

/** Compares all values of the replies with what is stored and with what the second turn sends. */
export function observe({ apiName, isThroughAiSdk, recording }: Recorded, replayed: Replayed): Observed {
  const { feature, replies, outcome } = recording;
  const values = replies.flatMap(({ whole }) => valuesIn(CONTENT[apiName](whole)));
  const { requests, stored } = replayed;
  const sent = APIS[apiName].messagesIn(requests.at(-1) ?? {});
  return {
    feature,
    column: isThroughAiSdk ? "ai-sdk" : apiName,
    service: isThroughAiSdk ? VENDORS[apiName] : (recording.service ?? ""),
    isRequested: isRequestedIn(requests[0], recording),
    kept: outcome.status === "error" ? undefined : extentOf(values, stored[0]?.slice(1)),
    sentBack: outcome.status === "error" ? undefined : extentOf(values, sent),
  };
}

function isRequestedIn(body: Json | undefined, { requested, agent }: Recording): boolean {
  const settings = Object.values(agent?.modelConfig?.providerOptions ?? {}).flatMap(textsIn);
  const sent = new Set(textsIn(body));
  return requested === undefined
    ? settings.length > 0 && settings.every((text) => sent.has(text))
    : matches(body, requested);
}

function matches(body: unknown, expected: Json): boolean {
  try {
    expect(body).toMatchObject(expected);
    return true;
  } catch {
    return false;
  }
}

/** The texts and numbers in a value, and in the JSON texts in it. */
function valuesIn(value: unknown): readonly string[] {
  if (typeof value === "number") return [String(value)];
  if (typeof value === "string") {
    const parsed = objectIn(value);
    return parsed === undefined ? [value] : valuesIn(parsed);
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => (FORM.has(key) ? [] : valuesIn(each)));
}

function objectIn(text: string): object | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function extentOf(values: readonly string[], place: unknown): Extent {
  const there = valuesIn(place);
  const text = there.join("\n");
  const found = values.filter((value) => there.includes(value) || text.includes(value));
  if (found.length === values.length) return "all";
  return found.length === 0 ? "none" : "part";
}

/** The table in Markdown, with one cell for all recordings of a column's feature. */
export function featureTable(observed: readonly Observed[]): string {
  const known: readonly string[] = FEATURES;
  const unknown = observed.find(({ feature }) => !known.includes(feature));
  if (unknown !== undefined) throw new Error(`FEATURES has no row "${unknown.feature}".`);
  const columns = Object.keys(COLUMNS) as Column[];
  const rows = known.map((feature) => [
    feature,
    ...columns.map((column) =>
      cellOf(observed.filter((each) => each.feature === feature && each.column === column)),
    ),
  ]);
  const filled = rows.filter(([, ...cells]) => cells.some((cell) => cell !== ""));
  return markdown([["", ...Object.values(COLUMNS)], ...filled]);
}

/** What holds of the column's own vendor, and then of other services by their names. */
function cellOf(observed: readonly Observed[]): string {
  const bySigns = new Map<string, readonly string[]>();
  // The vendor comes first.
  for (const service of [...new Set(observed.map(({ service }) => service))].toSorted()) {
    const signs = signsOf(observed.filter((each) => each.service === service));
    bySigns.set(signs, [...(bySigns.get(signs) ?? []), service]);
  }
  return [...bySigns]
    .map(([signs, [first = "", ...others]]) =>
      first === "" ? [signs, ...others].join(", ") : `${[first, ...others].join(", ")}: ${signs}`,
    )
    .join("; ");
}

/** `R`: requested, `K`: kept, `B`: sent back; `k` and `b`: in part. */
function signsOf(observed: readonly Observed[]): string {
  const sign = (extents: readonly (Extent | undefined)[], letter: string): string => {
    const seen = extents.filter((extent) => extent !== undefined);
    if (seen.every((extent) => extent === "none")) return "";
    return seen.every((extent) => extent === "all") ? letter : letter.toLowerCase();
  };
  const signs = [
    observed.some(({ isRequested }) => isRequested) ? "R" : "",
    sign(
      observed.map(({ kept }) => kept),
      "K",
    ),
    sign(
      observed.map(({ sentBack }) => sentBack),
      "B",
    ),
  ];
  return signs.filter((each) => each !== "").join(" ");
}

function markdown([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0), 3));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  const rule = widths.map((width) => "-".repeat(width));
  return [head, rule, ...rows].map(line).join("\n");
}
