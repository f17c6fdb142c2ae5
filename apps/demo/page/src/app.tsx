import { useEffect, useState } from "preact/hooks";
import { ChatPage } from "./chat/chat-page.tsx";
import { conversation, list } from "./models/app-models.ts";
import { type Route, route } from "./models/route.ts";
import { useStore } from "./models/store.ts";
import { FactsPage } from "./pages/facts-page.tsx";
import { HealthPage } from "./pages/health-page.tsx";
import { LedgerPage } from "./pages/ledger-page.tsx";
import { Sidebar } from "./sidebar/sidebar.tsx";
import { TryPanel } from "./sidebar/try-panel.tsx";
import { useMedia, useOnline } from "./ui/hooks.ts";
import { Icon } from "./ui/icon.tsx";
import { Sheet } from "./ui/panels.tsx";

export function App() {
  const { now } = useStore(route);
  const { title, conversationId, status } = useStore(conversation.state);
  const { conversations } = useStore(list.state);
  const listed = conversations.find((one) => one.conversationId === conversationId);
  const isNarrow = useMedia("(max-width: 820px)");
  const [drawer, setDrawer] = useState(false);
  const [trying, setTrying] = useState(false);
  const ofChat =
    status === "missing" ? "No such conversation" : (listed?.title ?? title ?? "New conversation");
  const heading = now.page === "chat" ? ofChat : HEADINGS[now.page];
  useEffect(() => {
    document.title = `${heading} · JAF`;
  }, [heading]);
  useEffect(() => setDrawer(false), [now, isNarrow]);
  const openTry = () => {
    setDrawer(false);
    setTrying(true);
  };

  return (
    <div class={`app${isNarrow ? " is-narrow" : ""}`}>
      <button type="button" class="skip" onClick={focusMain}>
        Skip to the conversation
      </button>
      {!isNarrow && <Sidebar onTry={openTry} />}
      <main id="main" tabIndex={-1}>
        <header class="top">
          {isNarrow && (
            <button type="button" class="quiet square" aria-label="Menu" onClick={() => setDrawer(true)}>
              <Icon name="menu" />
            </button>
          )}
          <h1>{heading}</h1>
          {isNarrow && (
            <a class="button quiet square" href="#/" aria-label="New conversation">
              <Icon name="plus" />
            </a>
          )}
        </header>
        <Reachability />
        <Content page={now.page} />
      </main>
      {drawer && (
        <Sheet title="Menu" side="left" onClose={() => setDrawer(false)}>
          <Sidebar onTry={openTry} />
        </Sheet>
      )}
      {trying && <TryPanel onClose={() => setTrying(false)} />}
    </div>
  );
}

const HEADINGS = { facts: "What I know about you", health: "Health", ledger: "Use and cost" } as const;

function Content({ page }: { readonly page: Route["page"] }) {
  switch (page) {
    case "facts":
      return <FactsPage />;
    case "health":
      return <HealthPage />;
    case "ledger":
      return <LedgerPage />;
    case "chat":
      return <ChatPage />;
  }
}

/** Used in place of a link, because the URL's hash is the route. */
function focusMain(): void {
  document.getElementById("main")?.focus();
}

function Reachability() {
  const online = useOnline();
  const { reachable } = useStore(list.state);
  const text = !online
    ? "You are offline. A running reply continues on the server, and is shown when you are back online."
    : reachable
      ? ""
      : "The server can't be reached. The page reconnects as soon as it is back.";
  return (
    <p class="reach" role="status" hidden={text === ""}>
      {text}
    </p>
  );
}
