import { readFileSync } from "node:fs";
import type { MemoryReport, UserMemoryStore } from "@jaf/user-memory";

/** Facts that were planted together, and what is wrong with them. */
export interface Planted {
  readonly kind: string;
  readonly facts: readonly string[];
  readonly key?: string;
  /** The day on which the facts were said, as an ISO date. Default: a day in 2025 or 2026. */
  readonly saidAt?: string;
}

/** Facts for the development of the rules, and facts that were put aside before the first rule was written. */
export const planted = JSON.parse(
  readFileSync(new URL("../data/health.json", import.meta.url), "utf8"),
) as Readonly<Record<"development" | "kept", readonly Planted[]>>;

/** The day of the examination. */
export const TODAY = new Date("2026-11-28T12:00:00Z");
const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2025, 0, 15);

/** Remembers the planted facts. Those in the first person are quotations, the others are stated. */
export async function plant(
  memory: UserMemoryStore,
  userId: string,
  groups: readonly Planted[],
): Promise<void> {
  for (const [group, { facts, key, saidAt }] of groups.entries()) {
    for (const [index, fact] of facts.entries()) {
      const day = saidAt === undefined ? FIRST_DAY + (group * 2 + index * 60) * DAY_MS : Date.parse(saidAt);
      const isQuoted = key === undefined && /^(?:I|My|J'|Trabajo)\b|^I'/.test(fact);
      await memory.remember(userId, fact, {
        provenance: { saidAt: new Date(day) },
        ...(isQuoted ? { quotation: { from: "message" as const } } : {}),
        ...(key === undefined
          ? {}
          : { key, trust: index === 0 ? ("stated" as const) : ("inferred" as const) }),
      });
    }
  }
}

/** How many of the planted groups were found, and what else was found, as texts. */
export interface Score {
  readonly planted: number;
  readonly found: number;
  readonly missed: readonly string[];
  readonly wrong: readonly string[];
}

const KINDS = {
  duplicate: ["duplicate"],
  contradiction: ["contradiction", "contradiction-by-key"],
  stale: ["stale"],
  junk: ["junk"],
} as const;

/**
 * Compares a report with what was planted. A pair is found if one finding names both facts. Wrong are findings
 * that name a fact that wasn't planted as such, and for duplicates also those that name facts of two groups.
 */
export function scoresOf(
  { findings }: MemoryReport,
  groups: readonly Planted[],
): Readonly<Record<keyof typeof KINDS, Score>> {
  const groupOf = new Map(groups.flatMap((group) => group.facts.map((fact) => [fact, group] as const)));
  const scoreOf = (kind: keyof typeof KINDS): Score => {
    const kinds: readonly string[] = KINDS[kind];
    const expected = groups
      .filter((group) => kinds.includes(group.kind))
      .flatMap(({ facts }) => (kind === "stale" || kind === "junk" ? facts.map((fact) => [fact]) : [facts]));
    const found = findings
      .filter((finding) => finding.kind === kind)
      .map(({ facts }) => facts.map(({ fact }) => fact));
    const isFound = (facts: readonly string[]) =>
      found.some((named) => facts.every((fact) => named.includes(fact)));
    const isWrong = (fact: string, first: string) =>
      !kinds.includes(groupOf.get(fact)?.kind ?? "") ||
      (kind === "duplicate" && groupOf.get(fact) !== groupOf.get(first));
    return {
      planted: expected.length,
      found: expected.filter(isFound).length,
      missed: expected.filter((facts) => !isFound(facts)).map((facts) => facts.join(" | ")),
      wrong: found.flatMap((named) =>
        named.some((fact) => isWrong(fact, named[0] ?? "")) ? [named.join(" | ")] : [],
      ),
    };
  };
  return {
    ...{ duplicate: scoreOf("duplicate"), contradiction: scoreOf("contradiction") },
    ...{ stale: scoreOf("stale"), junk: scoreOf("junk") },
  };
}
