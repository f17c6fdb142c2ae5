import { type ComponentChildren, h, type VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "./icon.tsx";

interface ScrollAreaProps {
  readonly class: string;
  readonly label: string;
  readonly id?: string;
  readonly children: ComponentChildren;
}

/** What is longer than the screen. It takes the focus, so that the keyboard scrolls it also where nothing in it does. */
export const ScrollArea = ({ class: name, label, id, children }: ScrollAreaProps): VNode =>
  h("section", { class: name, id, tabIndex: 0, "aria-label": label }, children) as VNode;

interface SheetProps {
  readonly title: string;
  readonly side: "left" | "right";
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A panel over the page, from one side. Keeps the focus, closes by Esc, and gives the focus back. */
export function Sheet({ title, side, onClose, children }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes a dialog by itself
    <dialog
      ref={dialog}
      class={`sheet ${side}`}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div class="sheet-content">
        <header class="sheet-header">
          <h2>{title}</h2>
          <button type="button" class="quiet square" onClick={onClose} aria-label="Close">
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
