import { useState } from "preact/hooks";
import { list } from "../models/app-models.ts";
import { conversationHref, route } from "../models/route.ts";
import { useStore } from "../models/store.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { ConversationRow } from "./conversation-row.tsx";
import { MatchRow, useMessageMatches } from "./message-matches.tsx";
import { TimerList } from "./timer-list.tsx";

export function Sidebar({ onTry }: { readonly onTry: () => void }) {
  const { now } = useStore(route);
  const [sought, setSought] = useState("");
  const query = sought.trim();
  const openId = now.page === "chat" ? now.conversationId : undefined;

  return (
    <nav class="sidebar" aria-label="Conversations">
      <div class="brand">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="9" />
          <path d="M9 12.500a3.500 3.500 0 0 1 3.500-3.500h7a3.500 3.500 0 0 1 3.500 3.500v4a3.500 3.500 0 0 1-3.500 3.500H15l-4.200 3.300c-.5.4-1.300 0-1.300-.7z" />
        </svg>
        <span>JAF</span>
      </div>
      <a
        class="button primary wide"
        href="#/"
        aria-current={now.page === "chat" && openId === undefined ? "page" : undefined}
      >
        <Icon name="plus" /> New conversation
      </a>
      <WaitingList />
      <TimerList />
      <label class="search">
        <Icon name="search" />
        <span class="hidden">Search conversations by title and messages by words</span>
        <input
          id="search"
          type="search"
          placeholder="Search conversations"
          value={sought}
          onInput={({ currentTarget }) => setSought(currentTarget.value)}
          onKeyDown={({ key }) => {
            if (key === "Escape") setSought("");
          }}
        />
      </label>
      {query === "" ? <Conversations openId={openId} /> : <Found query={query} openId={openId} />}
      <div class="sidebar-links">
        <NavLink href="#/facts" icon="person" isCurrent={now.page === "facts"}>
          What I know about you
        </NavLink>
        <NavLink href="#/ledger" icon="sum" isCurrent={now.page === "ledger"}>
          Use and cost
        </NavLink>
        <NavLink href="#/health" icon="pulse" isCurrent={now.page === "health"}>
          Health
        </NavLink>
        <button type="button" class="nav-link" onClick={onTry}>
          <Icon name="spark" /> Try this
        </button>
      </div>
    </nav>
  );
}

function WaitingList() {
  const { approvals } = useStore(list.state);
  if (approvals.length === 0) return null;
  return (
    <section class="waiting-list" aria-label="Waiting for your decision">
      {approvals.map(({ conversationId, title, interruption }) => (
        <a key={`${conversationId} ${interruption.toolCallId}`} href={conversationHref(conversationId)}>
          <strong>{interruption.toolName} waits for you</strong>
          <span>{title ?? "Untitled"}</span>
        </a>
      ))}
    </section>
  );
}

interface OpenConversation {
  /** Absent: no conversation is open. */
  readonly openId: string | undefined;
}

function Conversations({ openId }: OpenConversation) {
  const { conversations, nextCursor, loaded } = useStore(list.state);
  return (
    <ul class="conversations">
      {conversations.map((one) => (
        <ConversationRow key={one.conversationId} conversation={one} isOpen={one.conversationId === openId} />
      ))}
      {conversations.length === 0 && loaded && <li class="none">No conversations yet.</li>}
      {nextCursor !== undefined && (
        <li>
          <button type="button" class="quiet wide" onClick={() => void list.more()}>
            Older conversations
          </button>
        </li>
      )}
    </ul>
  );
}

/** The conversations with all words of the query in their titles, and the messages that match the query. */
function Found({ query, openId }: OpenConversation & { readonly query: string }) {
  const { conversations } = useStore(list.state);
  const matches = useMessageMatches(query);
  const words = query.toLowerCase().split(/\s+/);
  const titled = conversations.filter(({ title }) =>
    words.every((word) => (title ?? "").toLowerCase().includes(word)),
  );
  const messages = matches.status === "found" ? matches.messages : [];
  return (
    <div class="conversations">
      {titled.length > 0 && <h2>Titles</h2>}
      <ul>
        {titled.map((one) => (
          <ConversationRow
            key={one.conversationId}
            conversation={one}
            isOpen={one.conversationId === openId}
          />
        ))}
      </ul>
      {messages.length > 0 && <h2>Messages</h2>}
      <ul>
        {messages.map((match) => (
          <MatchRow key={`${match.position} ${match.conversationId}`} match={match} />
        ))}
      </ul>
      <p class="none" role="status">
        {matches.status === "searching" && "Searching…"}
        {matches.status === "failed" && matches.failure}
        {matches.status === "found" &&
          messages.length + titled.length === 0 &&
          `Nothing found for “${query}”.`}
      </p>
    </div>
  );
}

interface NavLinkProps {
  readonly href: string;
  readonly icon: IconName;
  readonly isCurrent: boolean;
  readonly children: string;
}

const NavLink = ({ href, icon, isCurrent, children }: NavLinkProps) => (
  <a class="nav-link" href={href} aria-current={isCurrent ? "page" : undefined}>
    <Icon name={icon} /> {children}
  </a>
);
