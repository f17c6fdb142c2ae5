import { type ConversationStore, type Message, sanitizeConversation } from "../../src/index.ts";

interface Row {
  readonly userId: string | undefined;
  readonly agent: string | undefined;
  readonly messages: Message[];
  title: string | undefined;
}

/** A store as a user would write it: a class with five methods and mutable arrays, without this package. */
export class FiveMethodStore implements ConversationStore {
  readonly rows = new Map<string, Row>();
  protected nextId = 1;

  async create(title?: string, meta?: { userId?: string; agent?: string }): Promise<string> {
    const id = `row-${this.nextId++}`;
    this.rows.set(id, { title, userId: meta?.userId, agent: meta?.agent, messages: [] });
    return id;
  }

  async load(conversationId: string): Promise<Message[]> {
    return this.rows.get(conversationId)?.messages ?? [];
  }

  async append(conversationId: string, messages: Message[]): Promise<void> {
    this.row(conversationId).messages.push(...messages);
  }

  async setTitle(conversationId: string, title: string): Promise<void> {
    this.row(conversationId).title = title;
  }

  async list(userId?: string) {
    return [...this.rows]
      .filter(([, row]) => userId === undefined || row.userId === userId)
      .map(([id, row]) => ({ id, title: row.title, userId: row.userId, agent: row.agent }));
  }

  private row(conversationId: string): Row {
    const row = this.rows.get(conversationId);
    if (row === undefined) throw new Error("not found");
    return row;
  }
}

/** Hides pending calls, as documented. */
export class SanitizingStore extends FiveMethodStore {
  override async load(conversationId: string): Promise<Message[]> {
    return sanitizeConversation(await super.load(conversationId));
  }
}
