import { createJafClient } from "@jaf/server/client";
import { headers } from "next/headers";
import Link from "next/link";
import { BASE_PATH, openJaf } from "@/lib/jaf";
import { Chat } from "./chat";

interface Props {
  readonly params: Promise<{ readonly id: string }>;
}

export default async function ChatPage({ params }: Props) {
  const { id } = await params;
  const cookie = (await headers()).get("cookie") ?? "";
  const jaf = await openJaf();
  // The server is in this process: its client needs no connection.
  const { conversations } = createJafClient({
    baseUrl: `http://localhost${BASE_PATH}`,
    headers: { cookie },
    fetch: async (url, init) => jaf.fetch(new Request(url, init)),
  });
  const [{ messages }, { conversations: chats }] = await Promise.all([
    conversations.loadChat(id),
    conversations.list({ limit: 20 }),
  ]);
  return (
    <>
      <nav>
        <Link href="/" prefetch={false}>
          New chat
        </Link>
        {chats.map(({ chatId, title }) => (
          <Link key={chatId} href={`/chat/${chatId}`} aria-current={chatId === id ? "page" : undefined}>
            {title}
          </Link>
        ))}
      </nav>
      <Chat key={id} id={id} stored={messages} />
    </>
  );
}
