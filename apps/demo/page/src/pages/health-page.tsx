import type { ConversationSummary, JafClient } from "@jaf/server/client";
import { useEffect, useState } from "preact/hooks";
import { list } from "../models/app-models.ts";
import { startPolling } from "../models/polling.ts";
import { failureText, server } from "../models/server.ts";
import { useStore } from "../models/store.ts";
import { recordedTurn } from "../models/turn-record.ts";
import { durationOf } from "../ui/dates.ts";
import { ScrollArea } from "../ui/panels.tsx";
import { Plot } from "./plot.tsx";

interface Health {
  readonly health: unknown;
  readonly stats: unknown;
}

const SHORTEST_MS = 5_000;
const LONGEST_MS = 20_000;

/** The health of the server's memory, and the user's activity. */
export function HealthPage() {
  const [told, setTold] = useState<Health>();
  const [activity, setActivity] = useState<readonly TurnActivity[]>([]);
  const [failure, setFailure] = useState<string>();
  const { loaded } = useStore(list.state);
  useEffect(() => {
    const look = async () => {
      try {
        const [health, stats] = await Promise.all([server.memory.health(), server.memory.stats()]);
        setTold({ health, stats });
        setFailure(undefined);
      } catch (thrown) {
        setFailure(failureText(thrown));
      }
    };
    void look();
    return startPolling({
      ...{ shortestMs: SHORTEST_MS, longestMs: LONGEST_MS },
      // Each look has another latency, so changes don't mean anything.
      look: async () => {
        await look();
        return false;
      },
    });
  }, []);
  useEffect(() => {
    if (!loaded) return;
    collectActivity(server, list.state.get().conversations).then(setActivity, () => {});
  }, [loaded]);

  return (
    <ScrollArea class="page" label="Health and activity">
      {failure !== undefined && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      {told !== undefined && (
        <div class="columns">
          <section class="card">
            <h2>Health</h2>
            <Details value={told.health} />
          </section>
          <section class="card">
            <h2>Yours</h2>
            <Details value={told.stats} />
          </section>
        </div>
      )}
      {activity.length > 1 && <Plots turns={activity} />}
    </ScrollArea>
  );
}

function Plots({ turns }: { readonly turns: readonly TurnActivity[] }) {
  const x = turns.map((_, index) => index + 1);
  const lineOf = (label: string, field: "seconds" | "sent" | "facts" | "tokens" | "cached") => ({
    label,
    values: turns.map((turn) => turn[field]),
  });
  return (
    <>
      <section class="card">
        <h2>Time to reply</h2>
        <Plot
          label={`Seconds of each of the last ${turns.length} turns`}
          x={x}
          series={[lineOf("seconds", "seconds")]}
        />
      </section>
      <section class="card">
        <h2>What the model was sent</h2>
        <Plot
          label="Messages, and facts about you, that went into each turn"
          x={x}
          series={[lineOf("messages", "sent"), lineOf("facts", "facts")]}
        />
      </section>
      {turns.some(({ tokens }) => tokens !== null) && (
        <section class="card">
          <h2>Tokens</h2>
          <Plot
            label="Tokens of each turn"
            x={x}
            series={[lineOf("tokens", "tokens"), lineOf("from the cache", "cached")]}
          />
        </section>
      )}
    </>
  );
}

const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const MAX_DEPTH = 4;

/** Shows the server's response as a description list, since stores return different fields. */
function Details({ value, depth = 0 }: { readonly value: unknown; readonly depth?: number }) {
  if (typeof value !== "object" || value === null) return <>{textOf(value)}</>;
  if (depth >= MAX_DEPTH) return <>{JSON.stringify(value)}</>;
  return (
    <dl class={depth === 0 ? "facts-of" : "facts-of inner"}>
      {Object.entries(value).map(([field, one]) => (
        <>
          <dt key={`${field} term`}>{termOf(field)}</dt>
          <dd key={field} class={typeof one === "object" && one !== null ? "nested" : undefined}>
            {field.endsWith("Ms") && typeof one === "number" ? (
              durationOf(one)
            ) : (
              <Details value={one} depth={depth + 1} />
            )}
          </dd>
        </>
      ))}
    </dl>
  );
}

/** `latencyMs` as "Latency". */
function termOf(field: string): string {
  const words = field
    .replace(/Ms$/, "")
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function textOf(value: unknown): string {
  if (typeof value === "number") return NUMBER.format(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value)) return new Date(value).toLocaleString();
  return value === null || value === undefined ? "–" : String(value);
}

export interface TurnActivity {
  readonly startedAt: string;
  readonly seconds: number;
  readonly sent: number | null;
  readonly facts: number;
  readonly tokens: number | null;
  readonly cached: number | null;
}

const CONVERSATIONS = 12;
const TURNS_EACH = 25;

/** The records of turns in the latest conversations, the oldest first. */
async function collectActivity(
  server: JafClient,
  conversations: readonly ConversationSummary[],
): Promise<readonly TurnActivity[]> {
  const lists = await Promise.all(
    conversations
      .slice(0, CONVERSATIONS)
      .map(({ conversationId }) => server.conversations.turns(conversationId, { limit: TURNS_EACH })),
  );
  return lists
    .flatMap(({ turns: some }) => some.filter(({ record }) => record !== undefined).map(recordedTurn))
    .map(({ startedAt, calls, facts }) => ({
      startedAt,
      seconds: calls.reduce((sum, { durationMs = 0 }) => sum + durationMs / 1_000, 0),
      sent: calls.at(-1)?.manifest?.sent ?? null,
      facts: facts.length,
      tokens: sumOf(calls.map(({ usage }) => total(usage?.inputTokens, usage?.outputTokens))),
      cached: sumOf(calls.map(({ usage }) => usage?.cachedInputTokens)),
    }))
    .toSorted((a, b) => a.startedAt.localeCompare(b.startedAt));
}

const total = (input: number | undefined, output: number | undefined): number | undefined =>
  input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0);

function sumOf(values: readonly (number | undefined)[]): number | null {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}
