import type { UserFact } from "@jaf/user-memory";
import type { Chat, ChatCommand } from "./command.ts";
import { describeFact, describeReasons, titlesOf } from "./fact-list.ts";
import { printable } from "./render.ts";

/** The facts that count, then those that wait for the user's word, each newest first. */
async function numberedFacts({ store, userId, learned }: Chat): Promise<readonly UserFact[]> {
  await learned();
  const [known, waiting] = await Promise.all([
    store.userMemory.list(userId),
    store.userMemory.review.list(userId),
  ]);
  return [...known, ...waiting];
}

async function facts(chat: Chat, question: string): Promise<void> {
  const { store, userId, terminal } = chat;
  const numbered = await numberedFacts(chat);
  const shown = question === "" ? numbered : await store.userMemory.recall(userId, question);
  if (shown.length === 0) terminal.print("I know nothing of that about you.");
  const titles = await titlesOf(store.provider, userId);
  for (const fact of shown) {
    const number = numbered.findIndex(({ id }) => id === fact.id) + 1;
    const explained = await store.userMemory.explain(userId, fact.id, question === "" ? undefined : question);
    terminal.print(`${String(number).padStart(3)}  ${printable(fact.fact)}`);
    const lines = describeFact(fact, { titles, supersedes: explained?.supersedes ?? [] });
    for (const line of [...lines, ...describeReasons(explained?.reasons ?? [])]) {
      terminal.print(terminal.dim(`     ${printable(line)}`));
    }
  }
}

/** Does something with the fact of a number, or says that there is none. */
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
  withFact(chat, argument, async ({ id, fact }) => {
    const confirmed = await chat.store.userMemory.review.approve(chat.userId, id);
    return confirmed === null ? "That fact doesn't wait for your word." : `So it is: ${fact}`;
  });

const forgetFact = (chat: Chat, argument: string): Promise<void> =>
  withFact(chat, argument, async ({ id, fact }) => {
    const { revived } = await chat.store.userMemory.forget(chat.userId, id);
    const note = revived === 0 ? "" : " What you had said before counts again.";
    return `Forgotten: ${fact}.${note}`;
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
    help: "what I know of you and where from; with a text, what of it that recalls and why",
    run: facts,
  },
  { name: "/confirm", argument: "N", help: "agree to fact N, which waits for your word", run: confirm },
  { name: "/forget-fact", argument: "N", help: "forget fact N, for good", run: forgetFact },
  { name: "/forget-me", help: "forget all facts about you", run: forgetAll },
];
