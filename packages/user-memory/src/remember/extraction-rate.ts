import { createHash } from "node:crypto";
import { type Source, sourceOf } from "../facts/source.ts";
import type { UserMemoryLimits } from "../limits.ts";
import type { HeadState } from "../write/head-state.ts";

/** How many conversations are counted at the same time; the one that began first goes first. */
const MAX_COUNTED = 64;

type ExtractionCounts = HeadState["extracted"];

interface Clock {
  readonly limits: UserMemoryLimits;
  readonly now: number;
}

const nameOf = (source: Source): string =>
  createHash("sha256").update(sourceOf(source), "utf8").digest("base64url").slice(0, 22);

const isOpen = (since: number, { limits, now }: Clock): boolean =>
  since <= now && now < since + limits.extractionWindowMs;

/** Whether as many facts as allowed were extracted from the same source within the window. */
export function isExtractedTooOften(counts: ExtractionCounts, source: Source, clock: Clock): boolean {
  const [, count = 0, since = 0] = counts.find(([name]) => name === nameOf(source)) ?? [];
  return isOpen(since, clock) && count >= clock.limits.maxExtractedPerConversation;
}

export function countExtracted(counts: ExtractionCounts, source: Source, clock: Clock): ExtractionCounts {
  const name = nameOf(source);
  const open = counts.filter(([, , since]) => isOpen(since, clock));
  const [, count = 0, since = clock.now] = open.find(([other]) => other === name) ?? [];
  const others = open.filter(([other]) => other !== name);
  return [...others.slice(-(MAX_COUNTED - 1)), [name, count + 1, since]];
}
