import { type LineOptions, lineOf } from "./line.ts";
import { type RenderableFact, trustLabelOf } from "./renderable-fact.ts";

/** What would end a quotation before its end. */
const QUOTATION_MARK = /["“”„‟«»＂〝〞❝❞]/gu;

type Statable = Pick<RenderableFact, "fact" | "tags" | "trust" | "status" | "quotation" | "provenance">;

/**
 * A fact in one line, with whose word it is; `""` where nothing is left of it. A quotation is what the user said, and when:
 * `The user said on 2026-11-02: "…"`. Double quotation marks in it become single ones, so that none ends it.
 */
export function statementOf(fact: Statable, options: LineOptions): string {
  const line = lineOf(fact.fact, options);
  if (line === "") return "";
  if (fact.quotation === undefined) return `${trustLabelOf(fact)}${line}`;
  const { from, question } = fact.quotation;
  const date = dateOf(fact.provenance?.saidAt);
  const words = `"${quotable(line)}"`;
  const asked = question === undefined ? "" : quotable(lineOf(question, options));
  const source =
    asked !== ""
      ? `Asked "${asked}", the user said${date}`
      : from === "text"
        ? `In a text that the user sent${date}`
        : `The user said${date}`;
  return `${trustLabelOf(fact)}${source}: ${words}`;
}

const quotable = (line: string): string => line.replaceAll(QUOTATION_MARK, "'");

/** In UTC: whoever reads it knows no time zone of the user's. */
function dateOf(saidAt: Date | undefined): string {
  const time = saidAt === undefined ? Number.NaN : new Date(saidAt).getTime();
  return Number.isNaN(time) ? "" : ` on ${new Date(time).toISOString().slice(0, 10)}`;
}
