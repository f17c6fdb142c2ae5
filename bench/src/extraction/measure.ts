import type { MiddlewareTurn } from "@jaf/core";
import type { Message } from "@jaf/memory";
import { createRunId, createTraceId } from "@jaf/memory/engine";
import { MemoryUserMemory, type ProposedFact, renderUserMemory, withMemoryExtract } from "@jaf/user-memory";
import type { LocomoConversation, LocomoTurn } from "../recall/locomo.ts";
import type { Extractor } from "./extractors.ts";

export interface Extracted {
  /** Facts that were proposed; of verbatim extraction, turns. */
  readonly proposed: number;
  /** Of them, those that rest on an item that is active, in percent. */
  readonly active: number;
  readonly items: number;
  /** Words in quotation marks that stand in no turn; must be 0. */
  readonly misquoted: number;
  /** The share of a question's evidence among the first of what is recalled, in percent; the mean. */
  readonly recallAt: Readonly<Record<1 | 5 | 10, number>>;
}

const DEPTHS = [1, 5, 10] as const;
const USER = "user";

export interface Extraction {
  /** `undefined`: verbatim. */
  readonly extractor: Extractor | undefined;
  /** Whether each turn is a conversation of its own, so that no turn is found by what was said next to it. */
  readonly alone: boolean;
}

const nameOf = ({ session, position }: Pick<LocomoTurn, "session" | "position">) => `${session}:${position}`;

/** Has each turn extracted as an engine has it, and asks the questions. */
export async function measureExtraction(
  data: readonly LocomoConversation[],
  { extractor, alone }: Extraction,
): Promise<Extracted> {
  const conversations = alone ? data.map(apart) : data;
  const found = { 1: 0, 5: 0, 10: 0 };
  const counts = { proposed: 0, active: 0, items: 0, misquoted: 0 };
  let questions = 0;
  for (const conversation of conversations) {
    const memory = new MemoryUserMemory();
    for (const [index, turn] of conversation.turns.entries()) {
      const proposals =
        extractor === undefined
          ? [undefined]
          : turn.facts.map((fact, which) => extractor(turn, fact, index + which));
      for (const proposal of proposals) {
        counts.proposed += 1;
        if (await isActive(memory, turn, proposal)) counts.active += 1;
      }
    }
    const turns = new Map(conversation.turns.map((turn) => [nameOf(turn), turn]));
    const items = await memory.list(USER);
    counts.items += items.length;
    counts.misquoted += misquoted(renderUserMemory(items, { maxFactLength: 10_000 }), conversation.turns);
    for (const { text, evidence } of conversation.questions) {
      questions += 1;
      const recalled = await memory.recall(USER, text, { limit: 10 });
      const ids = recalled.map(
        ({ provenance: { conversationId = "", position = -1 } }) =>
          turns.get(nameOf({ session: conversationId, position }))?.id,
      );
      for (const depth of DEPTHS) {
        const top = ids.slice(0, depth);
        found[depth] += evidence.filter((id) => top.includes(id)).length / evidence.length;
      }
    }
  }
  const share = (sum: number) => (100 * sum) / questions;
  return {
    ...counts,
    active: (100 * counts.active) / counts.proposed,
    recallAt: { 1: share(found[1]), 5: share(found[5]), 10: share(found[10]) },
  };
}

const apart = (conversation: LocomoConversation): LocomoConversation => ({
  ...conversation,
  turns: conversation.turns.map((turn) => ({ ...turn, session: turn.id, position: 0 })),
});

/** Lives through a turn; resolves with whether anything of it is active. */
async function isActive(
  memory: MemoryUserMemory,
  turn: LocomoTurn,
  proposal: ProposedFact | undefined,
): Promise<boolean> {
  let active = false;
  const middleware = withMemoryExtract<object>(
    { user: USER, extract: proposal === undefined ? "verbatim" : "auto" },
    {
      memory,
      extract: async () => (proposal === undefined ? [] : [proposal]),
      onExtracted: (entries) => {
        active = entries.some((entry) => "status" in entry && entry.status === "active");
      },
    },
  );
  const begun = turnOf(turn);
  await middleware.onStart?.(begun);
  await middleware.onFinish?.(begun, { role: "assistant", content: "I see." });
  await memory.drain();
  return active;
}

function turnOf({ text, session, position, saidAt }: LocomoTurn): MiddlewareTurn<object> {
  const said: readonly Message[] = [{ role: "user", content: text }];
  const ids = { runId: createRunId("run"), traceId: createTraceId("trace") };
  return {
    state: { ...ids, messages: said, currentAgentName: "agent", context: {}, turnCount: 0 },
    ...{ said, position, conversationId: session, agentName: "agent", isContinuation: false },
    startedAt: saidAt?.getTime() ?? Date.now(),
    complete: () => Promise.reject(new Error("Nobody is asked.")),
  };
}

const bare = (text: string): string => text.normalize("NFKC").replaceAll(/[^\p{L}\p{N}]/gu, "");

function misquoted(block: string, turns: readonly LocomoTurn[]): number {
  const said = turns.map(({ text }) => bare(text));
  const quoted = [...block.matchAll(/: "([^"]*)"$/gmu)].map(([, words = ""]) => bare(words));
  return quoted.filter((words) => !said.some((text) => text.includes(words))).length;
}
