import { isRunning } from "@jaf/server/client";
import { useState } from "preact/hooks";
import { conversation, drafts } from "../models/app-models.ts";
import { useStore } from "../models/store.ts";
import { SawSheet } from "../saw/saw-sheet.tsx";
import { Icon } from "../ui/icon.tsx";
import { ScrollArea } from "../ui/scroll-area.ts";
import { Composer } from "./composer.tsx";
import { Transcript } from "./transcript.tsx";
import { Welcome } from "./welcome.tsx";

function Missing() {
  const isWritten = useStore(drafts.state)[""] !== undefined;
  return (
    <div class="blank">
      <p>There is no such conversation. It may have been deleted.</p>
      {isWritten && (
        <p>
          What you have written waits in a <a href="#/">new conversation</a>.
        </p>
      )}
    </div>
  );
}

export function ChatPage() {
  const state = useStore(conversation.state);
  const { status, conversationId, turn, failure, said, messages } = state;
  const [sawAt, setSawAt] = useState<number>();
  const running = turn !== undefined && isRunning(turn);
  const isBlank = messages.length === 0 && said === undefined && turn === undefined;

  return (
    <div class="chat">
      <ScrollArea class="scroll" id="scroll" label="Messages">
        {status === "missing" && <Missing />}
        {status === "loading" && <p class="blank quiet-text">Loading…</p>}
        {(status === "new" || status === "ready") && isBlank && <Welcome />}
        {!isBlank && <Transcript state={state} onSaw={setSawAt} />}
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
      {sawAt !== undefined && conversationId !== undefined && (
        <SawSheet conversationId={conversationId} position={sawAt} onClose={() => setSawAt(undefined)} />
      )}
    </div>
  );
}
