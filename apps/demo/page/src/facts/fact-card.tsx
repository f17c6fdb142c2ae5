import type { Fact } from "@jaf/server/client";
import { list } from "../models/app-models.ts";
import { conversationHref } from "../models/route.ts";
import { server } from "../models/server.ts";
import { useStore } from "../models/store.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { dayOf } from "../ui/dates.ts";

const WAITS: Readonly<Record<string, string>> = {
  external: "A page, a document or a tool said this. It isn't used until you agree.",
  conflict: "It contradicts what you said yourself.",
  rate: "Very much was learned from one conversation.",
  link: "It holds an address and isn't your own word.",
};

function whoseWord({ trust, quotation }: Fact): string {
  if (trust === "external") return "Somebody else";
  if (trust === "confirmed") return "Confirmed by you";
  return trust === "stated" || quotation !== undefined ? "You" : "Concluded from what you said";
}

interface FactCardProps {
  readonly fact: Fact;
  readonly busy: boolean;
  readonly onChange: (action: () => Promise<unknown>) => void;
}

export function FactCard({ fact, busy, onChange }: FactCardProps) {
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
              question="Forget it for good?"
              onConfirm={() => onChange(() => server.facts.forget(id))}
            />
          )}
        </span>
      </footer>
    </li>
  );
}
