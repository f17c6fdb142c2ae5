import type { Fact } from "@jaf/server/client";
import { useCallback, useEffect, useState } from "preact/hooks";
import { list } from "../models/app-models.ts";
import { startPolling } from "../models/polling.ts";
import { conversationHref } from "../models/route.ts";
import { failureText, server } from "../models/server.ts";
import { useStore } from "../models/store.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { dayOf } from "../ui/dates.ts";
import { refocusLater, useAction } from "../ui/hooks.ts";
import { ScrollArea } from "../ui/panels.tsx";
import { FactHealth } from "./fact-health.tsx";

/** All facts about the user with their sources, and buttons to remove them. */
export function FactsPage() {
  const { known, load, unread } = useFacts();
  const [sought, setSought] = useState("");
  const { busy, failure = unread, act } = useAction();
  const change = (action: () => Promise<unknown>) =>
    act(async () => {
      await action();
      await load();
      refocusLater(() => document.getElementById("facts"));
    });
  const total = known === undefined ? 0 : Object.values(known).flat().length;

  return (
    <ScrollArea class="page" id="facts" label="Facts">
      <p class="lead">
        Your own statements, quoted, with date and conversation. Statements of a page or a tool about you are
        marked and aren’t used until you agree.
      </p>
      {failure !== undefined && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      {total > 5 && (
        <label class="search">
          <span class="hidden">Search facts</span>
          <input
            type="search"
            placeholder="Search"
            value={sought}
            onInput={({ currentTarget }) => setSought(currentTarget.value)}
          />
        </label>
      )}
      {known !== undefined && total === 0 && (
        <p class="blank">Nothing yet. Say something about yourself in a conversation.</p>
      )}
      {total > 0 && <FactHealth busy={busy} onChange={change} />}
      {known !== undefined && <FactLists known={known} sought={sought} busy={busy} onChange={change} />}
      {total > 0 && (
        <p class="end-actions">
          <ConfirmButton
            label="Forget everything about me"
            question="Forget all facts permanently?"
            onConfirm={() => change(() => server.facts.forgetAll())}
          />
        </p>
      )}
    </ScrollArea>
  );
}

interface Known {
  readonly quarantined: readonly Fact[];
  readonly active: readonly Fact[];
  readonly superseded: readonly Fact[];
}

const LIMIT = 500;
const SHORTEST_MS = 4_000;
const LONGEST_MS = 20_000;

async function loadFacts(): Promise<Known> {
  const of = async (status: Fact["status"]) => (await server.facts.list({ status, limit: LIMIT })).facts;
  const [quarantined, active, superseded] = await Promise.all([
    of("quarantined"),
    of("active"),
    of("superseded"),
  ]);
  return {
    quarantined,
    active: active.filter((fact) => !isOver(fact)),
    superseded: [...active.filter(isOver), ...superseded],
  };
}

/** Whether a fact isn't recalled any more, because its time is over. */
const isOver = ({ validUntil }: Fact): boolean =>
  validUntil !== undefined && Date.parse(validUntil) <= Date.now();

/** The facts, polled while the page is visible. */
function useFacts() {
  const [known, setKnown] = useState<Known>();
  const [failure, setFailure] = useState<string>();
  const load = useCallback(async () => {
    try {
      const loaded = await loadFacts();
      setKnown(loaded);
      setFailure(undefined);
      return JSON.stringify(loaded);
    } catch (thrown) {
      setFailure(failureText(thrown));
      return undefined;
    }
  }, []);
  useEffect(() => {
    void load();
    let seen: string | undefined;
    // Facts are extracted in the background.
    return startPolling({
      ...{ shortestMs: SHORTEST_MS, longestMs: LONGEST_MS },
      look: async () => {
        const before = seen;
        seen = await load();
        return seen === undefined || seen !== before;
      },
    });
  }, [load]);
  return { known, load, unread: failure };
}

interface ChangeProps {
  readonly busy: boolean;
  readonly onChange: (action: () => Promise<unknown>) => void;
}

interface FactListsProps extends ChangeProps {
  readonly known: Known;
  readonly sought: string;
}

function FactLists({ known, sought, ...changing }: FactListsProps) {
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  const found = (facts: readonly Fact[]) => facts.filter((fact) => holds(fact, words));
  const isNone = words.length > 0 && found(Object.values(known).flat()).length === 0;
  return (
    <>
      <FactList title="Waiting for you" facts={found(known.quarantined)} {...changing} />
      <FactList title="Known" facts={found(known.active)} {...changing} />
      <FactList title="Earlier" facts={found(known.superseded)} {...changing} />
      {isNone && <p class="blank">Nothing found.</p>}
    </>
  );
}

const holds = ({ fact }: Fact, words: readonly string[]): boolean =>
  words.every((word) => fact.toLowerCase().includes(word));

interface FactListProps extends ChangeProps {
  readonly title: string;
  readonly facts: readonly Fact[];
}

function FactList({ title, facts, busy, onChange }: FactListProps) {
  if (facts.length === 0) return null;
  return (
    <section class="fact-list" aria-label={title}>
      <h2>
        {title} <span class="count">{facts.length}</span>
      </h2>
      <ul>
        {facts.map((fact) => (
          <FactCard key={fact.id} fact={fact} busy={busy} onChange={onChange} />
        ))}
      </ul>
    </section>
  );
}

const WAITS: Readonly<Record<string, string>> = {
  external: "A page, a document or a tool said this. It isn't used until you agree.",
  conflict: "It contradicts your own statement.",
  rate: "One conversation produced an unusual number of facts.",
  link: "It contains a link and isn't your own statement.",
};

function whoseWord({ trust, quotation }: Fact): string {
  if (trust === "external") return "Someone else";
  if (trust === "confirmed") return "Confirmed by you";
  return trust === "stated" || quotation !== undefined ? "You" : "Inferred from your messages";
}

interface FactCardProps {
  readonly fact: Fact;
  readonly busy: boolean;
  readonly onChange: (action: () => Promise<unknown>) => void;
}

function FactCard({ fact, busy, onChange }: FactCardProps) {
  const { id, provenance, status, quarantine, quotation } = fact;
  const { conversations } = useStore(list.state);
  const { conversationId, saidAt, evidence } = provenance;
  const source = conversations.find((one) => one.conversationId === conversationId);
  const waits = status === "quarantined";
  return (
    <li class={`fact ${status}`}>
      {quotation?.question !== undefined && <p class="quiet-text">Asked: “{quotation.question}”</p>}
      <blockquote>{fact.fact}</blockquote>
      {waits && quarantine !== undefined && <p class="why">{WAITS[quarantine] ?? quarantine}</p>}
      {evidence !== undefined && evidence !== fact.fact && <p class="quiet-text">From: “{evidence}”</p>}
      <footer>
        <span>
          {whoseWord(fact)}
          {saidAt !== undefined && `, ${dayOf(saidAt)}`}
        </span>
        {conversationId !== undefined && (
          <a href={conversationHref(conversationId)}>{source?.title ?? "the conversation"}</a>
        )}
        <span class="fact-actions">
          {waits ? (
            <>
              <button
                type="button"
                class="quiet"
                disabled={busy}
                onClick={() => onChange(() => server.facts.review(id, "reject"))}
              >
                Reject
              </button>
              <button
                type="button"
                class="primary"
                disabled={busy}
                onClick={() => onChange(() => server.facts.review(id, "approve"))}
              >
                That’s right
              </button>
            </>
          ) : (
            <ConfirmButton
              label="Forget"
              question="Forget it permanently?"
              onConfirm={() => onChange(() => server.facts.forget(id))}
            />
          )}
        </span>
      </footer>
    </li>
  );
}
