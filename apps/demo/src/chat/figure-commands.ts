import { spentIn } from "@jaf/core";
import { Failure } from "../failure.ts";
import type { Chat, ChatCommand } from "./command.ts";
import { contextRows, costOf, counted, type Row, tableOf, tokensOf } from "./figures.ts";
import { printable } from "./render.ts";

function context({ injected, seen, terminal, instructions }: Chat): void {
  const last = seen();
  if (last.calls === 0) {
    terminal.print("There is no answer yet.");
    return;
  }
  const facts = injected()?.facts.length ?? 0;
  terminal.print("What the model saw for the last answer:");
  terminal.print(printable(tableOf(contextRows(last, { instructions: instructions(), facts }))));
}

async function stats(chat: Chat): Promise<void> {
  const { store, userId, terminal, session, spent, learned } = chat;
  await learned();
  const { conversationId, load } = session();
  const loaded = await load();
  const found = await store.provider.getStats(userId);
  if (!found.success) throw new Failure(found.error.message);
  const facts = await store.userMemory.list(userId, { status: ["active", "quarantined", "superseded"] });
  const having = (status: string): number => facts.filter((fact) => fact.status === status).length;
  const messages = loaded?.messages ?? [];
  const said = (role: string): number => messages.filter((message) => message.role === role).length;
  const stored =
    conversationId === undefined ? undefined : await store.provider.getConversation(conversationId);
  const total = stored?.success && stored.data !== null ? spentIn(stored.data) : undefined;
  const { totalConversations, totalMessages, oldestConversation } = found.data;
  const since =
    oldestConversation === undefined ? "" : `, since ${oldestConversation.toLocaleDateString("sv-SE")}`;
  const waiting = having("quarantined");
  const conversation: readonly Row[] = [
    [
      "messages",
      `${messages.length}: ${said("user")} of you, ${said("assistant")} replies, ${said("tool")} of tools`,
    ],
    ["tokens", tokensOf(total?.usage ?? spent().usage)],
    ["cost", costOf(total?.cost ?? spent().cost)],
  ];
  const kept: readonly Row[] = [
    [
      "conversations",
      `${counted(totalConversations, "conversation")}, ${counted(totalMessages, "message")}${since}`,
    ],
    [
      "facts",
      `${having("active")} remembered, ${having("superseded")} followed by newer ones, ${waiting} waiting for your word`,
    ],
    ["notes", counted((await store.notes.list(userId)).length, "note")],
    ["store", store.notice ?? "this machine, in the folder of the demo (--data)"],
  ];
  terminal.print(`This conversation${conversationId === undefined ? " (private, not stored)" : ""}`);
  terminal.print(tableOf(conversation));
  terminal.print("Kept of you");
  terminal.print(printable(tableOf(kept)));
}

export const FIGURE_COMMANDS: readonly ChatCommand[] = [
  { name: "/context", help: "what the model saw for the last answer, and what was left out", run: context },
  { name: "/stats", help: "messages, tokens, cost, and what is stored of you", run: stats },
];
