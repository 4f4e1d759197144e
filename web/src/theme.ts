// Light and dark: what the system says, until the switch says otherwise. Canvases take their colours from the CSS.
export interface Colours {
  [variable: string]: string;
}

const VARIABLES = [
  "--page",
  "--lane",
  "--lane-other",
  "--line",
  "--text",
  "--faint",
  "--mark",
  "--past",
  "--future",
  "--access",
  "--sync",
  "--gave",
  "--call",
  "--input",
  "--thread",
  "--signal",
  "--message",
  "--answer",
  "--stop",
];

export class Theme {
  colours: Colours = {};
  private readonly system = matchMedia("(prefers-color-scheme: dark)");
  private chosen: boolean | undefined;

  constructor(private readonly changed: () => void) {
    this.system.addEventListener("change", () => this.apply());
    this.apply();
  }

  get isDark(): boolean {
    return this.chosen ?? this.system.matches;
  }
  toggle(): void {
    this.chosen = !this.isDark;
    this.apply();
  }
  private apply(): void {
    document.documentElement.dataset["theme"] = this.isDark ? "dark" : "light";
    const style = getComputedStyle(document.documentElement);
    for (const name of VARIABLES) this.colours[name] = style.getPropertyValue(name).trim();
    this.changed();
  }
}
