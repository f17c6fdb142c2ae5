import type { UserFact } from "@jaf/user-memory";
import type { Chat, ChatCommand } from "./command.ts";
import { describeFact, describeReasons, titlesOf, wordsOf } from "./facts.ts";
import { printable } from "./render.ts";
import { tableOf } from "./stats.ts";

/** The limit of listed facts. */
const MOST_SHOWN = 50;
/** Recall limits a query's length, so longer texts are cut, without splitting a character. */
const MAX_QUERY = 4_000;

const queryOf = (text: string): string => text.slice(0, MAX_QUERY).replaceAll(/[\0\p{Cs}]/gu, " ");

/** The facts that wait for review, then the active, then the superseded ones, each newest first. */
async function numberedFacts({ store, userId, learned }: Chat): Promise<readonly UserFact[]> {
  await learned();
  const lists = (["quarantined", "active", "superseded"] as const).map((status) =>
    store.userMemory.list(userId, { status }),
  );
  return (await Promise.all(lists)).flat();
}

interface Shown {
  /** The query of the recall. Absent: no reasons are shown. */
  readonly query?: string;
  readonly numbered: readonly UserFact[];
}

/** Prints facts with their numbers, sources, and the reasons of their recall. */
async function printFacts(
  { store, userId, terminal }: Chat,
  shown: readonly UserFact[],
  { query, numbered }: Shown,
): Promise<void> {
  const numbers = new Map(numbered.map(({ id }, index) => [id, index + 1]));
  const titles = await titlesOf(store.provider, userId);
  for (const fact of shown) {
    terminal.print(`${String(numbers.get(fact.id) ?? "").padStart(3)}  ${printable(wordsOf(fact))}`);
    terminal.print(terminal.dim(`     ${printable(describeFact(fact, titles))}`));
    if (query === undefined) continue;
    const explained = await store.userMemory.explain(userId, fact.id, query);
    terminal.print(terminal.dim(`     ${printable(describeReasons(explained?.reasons ?? []))}`));
  }
}

async function facts(chat: Chat, text: string): Promise<void> {
  const { store, userId, terminal } = chat;
  const numbered = await numberedFacts(chat);
  if (text !== "") {
    const query = queryOf(text);
    const recalled = await store.userMemory.recall(userId, query);
    if (recalled.length === 0) terminal.print("I know nothing about you that matches.");
    return printFacts(chat, recalled, { query, numbered });
  }
  if (numbered.length === 0) terminal.print("I know nothing about you.");
  await printFacts(chat, numbered.slice(0, MOST_SHOWN), { numbered });
  const more = numbered.length - MOST_SHOWN;
  if (more > 0) terminal.print(terminal.dim(`… ${more} more: /facts TEXT finds them`));
}

/** Shows the facts in the last prompt, with the reasons of their recall. */
async function why(chat: Chat, argument: string): Promise<void> {
  if (argument !== "") return whyFact(chat, argument);
  const { injected, terminal } = chat;
  const last = injected();
  if (last === undefined) return terminal.print("There is no answer yet.");
  if (last.facts.length === 0) return terminal.print("The last answer used no facts about you.");
  const numbered = await numberedFacts(chat);
  const kept = last.facts.flatMap(({ id }) => numbered.find((fact) => fact.id === id) ?? []);
  if (kept.length > 0) terminal.print("The last answer used these facts about you:");
  await printFacts(chat, kept, { query: queryOf(last.said), numbered });
  const forgotten = last.facts.length - kept.length;
  if (forgotten > 0) terminal.print(`Facts of the last answer that were forgotten since: ${forgotten}.`);
}

/** Shows the source of one fact, and whether and why it was in the last prompt. */
async function whyFact(chat: Chat, argument: string): Promise<void> {
  const { store, userId, terminal, injected } = chat;
  const fact = (await numberedFacts(chat))[Number(argument) - 1];
  if (fact === undefined)
    return terminal.print(printable(`There is no fact "${argument}". /facts shows their numbers.`));
  const titles = await titlesOf(store.provider, userId);
  const last = injected();
  const isInjected = last?.facts.some(({ id }) => id === fact.id) ?? false;
  const explained = isInjected
    ? await store.userMemory.explain(userId, fact.id, queryOf(last?.said ?? ""))
    : undefined;
  const found = isInjected ? describeReasons(explained?.reasons ?? []) : "not part of the last answer";
  const rows = [
    ["fact", wordsOf(fact)],
    ["comes from", describeFact(fact, titles)],
    ["last answer", found],
  ] as const;
  terminal.print(printable(tableOf(rows)));
}

/** Runs an action on the fact with a number, or prints that there is none. */
async function withFact(
  chat: Chat,
  argument: string,
  action: (fact: UserFact) => Promise<string>,
): Promise<void> {
  const fact = (await numberedFacts(chat))[Number(argument) - 1];
  const missing = `There is no fact "${argument}". /facts shows their numbers.`;
  chat.terminal.print(printable(fact === undefined ? missing : await action(fact)));
}

const confirm = (chat: Chat, argument: string): Promise<void> =>
  withFact(chat, argument, async (fact) => {
    const confirmed = await chat.store.userMemory.review.approve(chat.userId, fact.id);
    return confirmed === null ? "That fact doesn't wait for your review." : `Confirmed: ${wordsOf(fact)}`;
  });

const forgetFact = (chat: Chat, argument: string): Promise<void> =>
  withFact(chat, argument, async (fact) => {
    const { revived } = await chat.store.userMemory.forget(chat.userId, fact.id);
    const forgotten = `Forgotten: ${wordsOf(fact)}`;
    return revived === 0 ? forgotten : `${forgotten}\nYour earlier statement counts again.`;
  });

async function forgetAll({ store, userId, terminal, learned }: Chat): Promise<void> {
  await learned();
  const { facts, receiptId } = await store.userMemory.forgetAll(userId);
  terminal.print(`Facts forgotten: ${facts}. Your conversations are kept. Receipt: ${receiptId}`);
}

export const FACT_COMMANDS: readonly ChatCommand[] = [
  {
    name: "/facts",
    argument: "[TEXT]",
    help: "the facts about you; with a text, the facts that it recalls and why",
    run: facts,
  },
  {
    name: "/why",
    argument: "[N]",
    help: "the facts in the last prompt, and why; with a number, the source of fact N",
    run: why,
  },
  { name: "/confirm", argument: "N", help: "agree to fact N, which waits for your review", run: confirm },
  { name: "/forget-fact", argument: "N", help: "forget fact N permanently", run: forgetFact },
  { name: "/forget-me", help: "forget all facts about you", run: forgetAll },
];
