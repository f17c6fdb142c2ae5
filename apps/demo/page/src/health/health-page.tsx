import { useEffect, useState } from "preact/hooks";
import { list } from "../models/app-models.ts";
import { startPolling } from "../models/polling.ts";
import { failureText, server } from "../models/server.ts";
import { useStore } from "../models/store.ts";
import { ScrollArea } from "../ui/scroll-area.ts";
import { collectActivity, type TurnActivity } from "./activity.ts";
import { Details } from "./details.tsx";
import { Plot } from "./plot.tsx";

interface Health {
  readonly health: unknown;
  readonly stats: unknown;
}

const SHORTEST_MS = 5_000;
const LONGEST_MS = 20_000;

/** How the server's memory is, and what the user has done with it. */
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
      // The latency of each look is another one, so that tells nothing.
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
