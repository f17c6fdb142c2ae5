import { isRunning } from "@jaf/server/client";
import { useEffect, useState } from "preact/hooks";
import { conversation, drafts } from "../models/app-models.ts";
import { type DemoAbout, demo } from "../models/server.ts";
import { useStore } from "../models/store.ts";
import { Icon } from "../ui/icon.tsx";
import { ScrollArea } from "../ui/panels.tsx";
import { Composer } from "./composer.tsx";
import { ContextSheet } from "./context-sheet.tsx";
import { SUGGESTIONS } from "./suggestions.ts";
import { Transcript } from "./transcript.tsx";

export function ChatPage() {
  const state = useStore(conversation.state);
  const { status, conversationId, turn, failure, said, messages } = state;
  const [contextAt, setContextAt] = useState<number>();
  const running = turn !== undefined && isRunning(turn);
  const isBlank = messages.length === 0 && said === undefined && turn === undefined;

  return (
    <div class="chat">
      <ScrollArea class="scroll" id="scroll" label="Messages">
        {status === "missing" && <Missing />}
        {status === "loading" && <p class="blank quiet-text">Loading…</p>}
        {(status === "new" || status === "ready") && isBlank && <Welcome />}
        {!isBlank && <Transcript state={state} onShowContext={setContextAt} />}
      </ScrollArea>
      <div class="bottom">
        {failure !== undefined && (
          <p class="failure" role="alert">
            <span>{failure}</span>
            <button type="button" class="quiet square" aria-label="Dismiss" onClick={conversation.dismiss}>
              <Icon name="close" />
            </button>
          </p>
        )}
        {status !== "missing" && <Composer running={running} conversationId={conversationId} />}
      </div>
      {contextAt !== undefined && conversationId !== undefined && (
        <ContextSheet
          conversationId={conversationId}
          position={contextAt}
          onClose={() => setContextAt(undefined)}
        />
      )}
    </div>
  );
}

function Welcome() {
  const [about, setAbout] = useState<DemoAbout>();
  useEffect(() => {
    demo.about().then(setAbout, () => {});
  }, []);
  return (
    <div class="welcome">
      <h2>What is on your mind?</h2>
      <p>What you say about yourself is remembered in every conversation, in your own words.</p>
      <ul>
        {SUGGESTIONS.map((text) => (
          <li key={text}>
            <button type="button" onClick={() => void conversation.send(text)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
      {about !== undefined && (
        <p class="about">
          {about.model} {about.store}
        </p>
      )}
    </div>
  );
}

function Missing() {
  const isWritten = useStore(drafts.state)[""] !== undefined;
  return (
    <div class="blank">
      <p>This conversation doesn’t exist. It may have been deleted.</p>
      {isWritten && (
        <p>
          Your draft is in a <a href="#/">new conversation</a>.
        </p>
      )}
    </div>
  );
}
