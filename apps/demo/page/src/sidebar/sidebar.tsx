import { useEffect, useState } from "preact/hooks";
import { list } from "../models/app-models.ts";
import { conversationHref, route } from "../models/route.ts";
import { demo } from "../models/server.ts";
import { useStore } from "../models/store.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { ConversationRow } from "./conversation-row.tsx";
import { TimerList } from "./timer-list.tsx";

export function Sidebar({ onTry }: { readonly onTry: () => void }) {
  const { now } = useStore(route);
  const [sought, setSought] = useState("");
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
        <span class="hidden">Search conversations by title and content</span>
        <input
          id="search"
          type="search"
          placeholder="Search conversations"
          value={sought}
          onInput={({ currentTarget }) => setSought(currentTarget.value)}
        />
      </label>
      <Conversations sought={sought} openId={openId} />
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

interface ConversationsProps {
  readonly sought: string;
  readonly openId: string | undefined;
}

/** The conversations with all searched words in their titles or messages. */
function Conversations({ sought, openId }: ConversationsProps) {
  const { conversations, nextCursor, loaded } = useStore(list.state);
  const said = useSaid(sought);
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  const found = conversations.filter(
    ({ conversationId, title }) =>
      words.every((word) => (title ?? "").toLowerCase().includes(word)) || said.has(conversationId),
  );
  return (
    <ul class="conversations">
      {found.map((one) => (
        <ConversationRow key={one.conversationId} conversation={one} isOpen={one.conversationId === openId} />
      ))}
      {found.length === 0 && loaded && (
        <li class="none">{sought === "" ? "No conversations yet." : "Nothing found."}</li>
      )}
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

const TYPING_MS = 200;
const NONE: ReadonlySet<string> = new Set();

/** The ids of conversations with `sought` in their messages, after the server has answered. */
function useSaid(sought: string): ReadonlySet<string> {
  const [found, setFound] = useState(NONE);
  useEffect(() => {
    setFound(NONE);
    const query = sought.trim();
    if (query === "") return;
    let isOver = false;
    const timer = setTimeout(() => {
      demo.search(query).then(
        (ids) => {
          if (!isOver) setFound(new Set(ids));
        },
        () => {}, // Titles are searched anyway.
      );
    }, TYPING_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [sought]);
  return found;
}
