import type { ToolCallInfo } from "@jaf/core";
import { createJudge, type Verdict } from "../extract/grounding/judge.ts";
import { isStore } from "../link/slot.ts";
import { INFERRED_TAG } from "../render/standing.ts";
import type { RememberOptions, UserMemoryStore } from "../store.ts";
import type { UserMemory } from "../user-memory.ts";
import type { MemoryToolsSettings, RememberArguments } from "./options.ts";

const UNSEEN = /(?!\u200c|\u200d|\ufe0f)\p{Default_Ignorable_Code_Point}|\p{Cs}/gu;
const MAX_NAME = 255;

const WAITS =
  "It is kept for review and isn't known yet. Go on without it, and don't tell the user that it is remembered.";
const REMEMBERED = "Remembered.";
const NOT_SAID =
  "Not remembered: the user didn't say it in this turn. Remember only what the user said of themselves, in the user's own words.";
const FORGOTTEN =
  "Not remembered: it was forgotten after the user said it. Only what the user says from now on can be remembered.";
const UNWANTED = "Not remembered: the user asked not to keep it.";

interface Remembering<Ctx> {
  readonly memory: UserMemory;
  readonly userId: string;
  readonly settings: MemoryToolsSettings<Ctx>;
  readonly context: Readonly<Ctx>;
  readonly call: ToolCallInfo | undefined;
  /** When the call began. */
  readonly calledAt: Date;
}

type Kept = Extract<Verdict, { readonly kind: "kept" }>;

/** Remembers what the model says that the user said, as far as the user's words bear it out. Resolves with a word to the model. */
export async function rememberFact<Ctx>(
  { fact, evidence }: RememberArguments,
  scope: Remembering<Ctx>,
): Promise<string> {
  const { settings, context, call } = scope;
  const text = fact
    .replaceAll(UNSEEN, "")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  const start = await startOf(scope);
  const said = await settings.said?.(context, call);
  const verdict = said === undefined ? OF_THE_MODEL : createJudge(said)({ fact: text, evidence });
  if (verdict.kind === "refused") return verdict.reason === "unwanted" ? UNWANTED : NOT_SAID;
  return isStore(scope.memory)
    ? storeFact(scope.memory, text, { ...scope, ...start, verdict })
    : storeNarrowly(text, verdict, scope);
}

/** Nobody knows what the user said, so what the model quotes isn't kept as the user's words. */
const OF_THE_MODEL: Kept = {
  kind: "kept",
  trust: "inferred",
  quarantine: "ungrounded",
  evidence: "",
  message: 0,
};

/** Before anything else is asked for: what is forgotten meanwhile counts. */
async function startOf<Ctx>({ memory, userId, settings, context, call, calledAt }: Remembering<Ctx>) {
  const { startedAt = calledAt, since } = (await settings.turnStart?.(context, call)) ?? {};
  return { startedAt, since: since ?? (isStore(memory) ? await memory.mark(userId) : undefined) };
}

interface Storing<Ctx> extends Remembering<Ctx> {
  readonly verdict: Kept;
  readonly startedAt: Date;
  readonly since: RememberOptions["since"];
}

async function storeFact<Ctx>(
  memory: UserMemoryStore,
  text: string,
  { userId, settings, call, verdict, startedAt, since }: Storing<Ctx>,
): Promise<string> {
  const { trust, quarantine, evidence } = verdict;
  const extractor = `${settings.names.remember} of ${call?.agentName ?? "an agent"}`.slice(0, MAX_NAME);
  const source =
    evidence === "" ? {} : { author: "user", evidence: evidence.replaceAll(/\p{Cs}|\0/gu, "\ufffd") };
  const provenance = { extractor, saidAt: startedAt, ...source };
  const tags = [...(settings.tags ?? [])];
  try {
    const { status } = await memory.remember(userId, text, { trust, quarantine, tags, since, provenance });
    return status === "quarantined" ? WAITS : REMEMBERED;
  } catch (thrown) {
    if (isForgotten(thrown)) return FORGOTTEN;
    throw thrown;
  }
}

function isForgotten(thrown: unknown): boolean {
  const { name, code } = (thrown ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  return name === "UserMemoryError" && (code === "erased" || code === "forgotten");
}

async function storeNarrowly<Ctx>(
  text: string,
  { trust, quarantine }: Kept,
  { memory, userId, settings }: Remembering<Ctx>,
): Promise<string> {
  const tags = [...(settings.tags ?? [])];
  if (quarantine !== undefined) return NOT_SAID;
  const all = trust === "inferred" ? [...tags, INFERRED_TAG] : tags;
  await memory.remember(userId, text, all.length === 0 ? {} : { tags: all });
  return REMEMBERED;
}
