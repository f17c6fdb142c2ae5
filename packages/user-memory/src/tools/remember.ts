import type { ToolCallInfo } from "@jaf/core";
import { createJudge, type Verdict } from "../extract/grounding/judge.ts";
import { isStore } from "../link/slot.ts";
import { INFERRED_TAG } from "../render/standing.ts";
import type { UserMemory } from "../user-memory.ts";
import type { MemoryToolsSettings, RememberArguments } from "./options.ts";

const UNSEEN = /(?!\u200c|\u200d|\ufe0f)\p{Default_Ignorable_Code_Point}|\p{Cs}/gu;
const MAX_NAME = 255;

const WAITS =
  "It is kept for review and isn't known yet. Go on without it, and don't tell the user that it is remembered.";
const REMEMBERED = "Remembered.";
const NOT_SAID =
  "Not remembered: the user didn't say it in this turn. Remember only what the user said of themselves, in the user's own words.";
const UNWANTED = "Not remembered: the user asked not to keep it.";

interface Remembering<Ctx> {
  readonly memory: UserMemory;
  readonly userId: string;
  readonly settings: MemoryToolsSettings<Ctx>;
  readonly context: Readonly<Ctx>;
  readonly call: ToolCallInfo | undefined;
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
  const said = await settings.said?.(context, call);
  const verdict = said === undefined ? ofTheModel(evidence) : createJudge(said)({ fact: text, evidence });
  if (verdict.kind === "refused") return verdict.reason === "unwanted" ? UNWANTED : NOT_SAID;
  return store(text, verdict, scope);
}

/** Nobody knows what the user said. */
const ofTheModel = (evidence = ""): Kept => ({
  kind: "kept",
  trust: "inferred",
  quarantine: "ungrounded",
  evidence,
  message: 0,
});

async function store<Ctx>(
  text: string,
  { trust, quarantine, evidence }: Kept,
  { memory, userId, settings, call }: Remembering<Ctx>,
): Promise<string> {
  const tags = [...(settings.tags ?? [])];
  if (isStore(memory)) {
    const extractor = `${settings.names.remember} of ${call?.agentName ?? "an agent"}`.slice(0, MAX_NAME);
    const source =
      evidence === "" ? {} : { author: "user", evidence: evidence.replaceAll(/\p{Cs}|\0/gu, "\ufffd") };
    const provenance = { extractor, saidAt: new Date(), ...source };
    const { status } = await memory.remember(userId, text, { trust, quarantine, tags, provenance });
    return status === "quarantined" ? WAITS : REMEMBERED;
  }
  if (quarantine !== undefined) return NOT_SAID;
  const all = trust === "inferred" ? [...tags, INFERRED_TAG] : tags;
  await memory.remember(userId, text, all.length === 0 ? {} : { tags: all });
  return REMEMBERED;
}
