import { type FactServer, startPostgresFacts, startRedisFacts } from "../facts/fact-stores.ts";
import { createTexts } from "../facts/texts.ts";
import type { Lab } from "../lab.ts";
import { duration, ratio } from "../report.ts";
import type { Check } from "../results.ts";
import { type Measured, measure } from "../statistics.ts";
import type { Part } from "./part.ts";

const FACTS = 9_900;
const WORDS_OF_A_FACT = 10;
const CALLS = {
  "recall, question of 4 words": 4,
  "recall, request of 25 words": 25,
  "recall, request of 40 words": 40,
} as const;

interface Row {
  readonly what: string;
  readonly plain: Measured;
  readonly jaf: Measured;
}

interface Plan {
  readonly lab: Lab;
  readonly rounds: number;
}

async function fill({ jaf, plain }: FactServer, facts: number): Promise<void> {
  const texts = createTexts(1);
  for (let n = 0; n < facts; n++) {
    const fact = texts.sentence(WORDS_OF_A_FACT);
    await jaf.remember(fact);
    await plain.remember(fact);
  }
}

async function compare(server: FactServer, state: string, { lab, rounds }: Plan): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const { name, jaf, plain } = server;
  const add = async (call: string, words: number, run: "remember" | "recall") => {
    lab.progress(`${name}, ${state}: ${call}`);
    const contenders = Object.entries({ jaf, plain }).map(([contender, store]) => {
      const texts = createTexts(2 + words);
      return { name: contender, once: () => store[run](texts.sentence(words)) };
    });
    const measured = await measure(contenders, { warmUp: Math.ceil(rounds / 5), rounds });
    rows.push({ what: `${name}, ${state}: ${call}`, jaf: measured("jaf"), plain: measured("plain") });
  };
  await add("remember", WORDS_OF_A_FACT, "remember");
  for (const [call, words] of Object.entries(CALLS)) await add(call, words, "recall");
  return rows;
}

async function measureServer(server: FactServer, facts: number, plan: Plan): Promise<readonly Row[]> {
  plan.lab.progress(`${server.name}: filling`);
  await server.filling(() => fill(server, facts));
  if (server.analyze === undefined) return compare(server, "filled", plan);
  const fresh = await compare(server, "no statistics", plan);
  await server.analyze();
  return [...fresh, ...(await compare(server, "analyzed", plan))];
}

const START = { redis: startRedisFacts, postgres: startPostgresFacts };
const toPlain = ({ jaf, plain }: Row): number => jaf.p50 / plain.p50;

const checkOf = (row: Row): Check => ({
  what: `${row.what}, JAF to full text`,
  measured: toPlain(row),
  rule: "at most",
  target: 2,
  unit: "×",
});

/** User memory with 9,900 facts of one user, beside full text on Postgres and sorted sets on Redis. */
export const facts: Part = async (lab, { stores, quick }) => {
  const rows: Row[] = [];
  for (const kind of stores) {
    const server = await START[kind](lab);
    rows.push(...(await measureServer(server, quick ? 300 : FACTS, { lab, rounds: quick ? 10 : 50 })));
  }
  return {
    table: {
      columns: ["", "plain p50", "p99", "JAF p50", "p99", "to plain"],
      rows: rows.map((row) => [
        row.what,
        ...[row.plain.p50, row.plain.p99, row.jaf.p50, row.jaf.p99].map(duration),
        ratio(toPlain(row)),
      ]),
    },
    checks: rows.filter(({ what }) => what.startsWith("Postgres")).map(checkOf),
  };
};
