import type { ExecuteInput, ExecuteOutcome } from '../src/domain/agent.js';
import { parseContext } from '../src/domain/context.js';
import { EngraphError } from '../src/domain/failure.js';
import { parseProcedure, type Procedure } from '../src/domain/procedure.js';
import { Player } from './learn-player.js';
import type { Game, Scene, World } from './twx/world.js';

/** Moves after which a game counts as failed. */
export const MOST_MOVES = 80;

/** What a task of the agent's is about. */
export interface Assignment {
  readonly game: Game;
  /** The moves of one who shows how it is done; a player with memory plays where there are none. */
  readonly shown?: readonly string[];
  /** Chances of one play, the same for each play. */
  readonly random: () => () => number;
}

interface Session {
  readonly assignment: Assignment;
  readonly player: Player;
  readonly moves: string[];
  readonly answers: ExecuteOutcome[];
  scene: Scene;
}

/**
 * Plays games as tasks, one move a step: an agent like any other (docs/agent.md), who has nothing of Engraph's but the context it
 * is given. The game itself says how it ended. A call that is repeated gets the answer that it got; a task that is done again
 * (`replayOf`) is played by memory, whoever played it first. Tasks may run side by side: they take turns in the one world.
 */
export class GameAgent {
  readonly #world: World;
  readonly #assignments = new Map<string, Assignment>();
  readonly #sessions = new Map<string, Session>();
  #inWorld: Session | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(world: World) {
    this.#world = world;
  }

  /** Says which game a task is. */
  assign(taskId: string, assignment: Assignment): void {
    this.#assignments.set(taskId, assignment);
  }

  /** Whether the task, or the one that it does again, was assigned to this agent. */
  knows({ taskId, replayOf }: Pick<ExecuteInput, 'taskId' | 'replayOf'>): boolean {
    return this.#assignments.has(replayOf ?? taskId);
  }

  /** One move. Fails with `validation` for a task that nothing was assigned to. */
  async execute(input: ExecuteInput): Promise<ExecuteOutcome> {
    const mine = this.#turn.then(() => this.#move(input));
    this.#turn = mine.catch(() => undefined); // whoever asked for it is told; the next takes its turn all the same
    return await mine;
  }

  async #move(input: ExecuteInput): Promise<ExecuteOutcome> {
    const session = await this.#sessionOf(input);
    const { assignment, answers, moves, player } = session;
    const answered = answers[input.step];
    if (answered !== undefined) return answered;
    await this.#goTo(session);
    const move = assignment.shown?.[moves.length] ?? player.act(session.scene);
    session.scene = await this.#world.step(move);
    moves.push(move);
    const answer = outcomeOf(move, session.scene, moves.length);
    answers.push(answer);
    return answer;
  }

  async #sessionOf({ taskId, round, replayOf, context }: ExecuteInput): Promise<Session> {
    const key = `${taskId} ${round}`;
    const known = this.#sessions.get(key);
    if (known !== undefined) return known;
    const assigned = this.#assignments.get(replayOf ?? taskId);
    if (assigned === undefined)
      throw new EngraphError('validation', `no game was assigned to task ${JSON.stringify(replayOf ?? taskId)}`);
    const { shown, ...game } = assigned;
    const assignment = { ...game, ...(shown && replayOf === undefined && { shown }) };
    const player = new Player(procedureOf(context)?.procedure, assignment.random());
    const scene = await this.#world.reset(assignment.game);
    const session: Session = { assignment, player, moves: [], answers: [], scene };
    this.#sessions.set(key, session);
    this.#inWorld = session;
    return session;
  }

  /** Brings the world to where this game stands: the same moves lead to the same place. */
  async #goTo(session: Session): Promise<void> {
    if (this.#inWorld !== session) {
      await this.#world.reset(session.assignment.game);
      for (const move of session.moves) await this.#world.step(move);
    }
    this.#inWorld = session;
  }
}

/** The first skill in a context that can be followed, and which node it is. */
export function procedureOf(context: string): { readonly procedure: Procedure; readonly skillId: string } | undefined {
  return parseContext(context)
    .filter(({ kind }) => kind === 'procedural')
    .map(({ id, text }) => ({ procedure: parseProcedure(text), skillId: id }))
    .find(({ procedure }) => procedure.steps.length > 0);
}

function outcomeOf(action: string, { observation, won, lost }: Scene, moves: number): ExecuteOutcome {
  if (won) return { action, observation, status: 'succeeded' };
  if (lost) return { action, observation, status: 'failed', feedback: `the game was lost by "${action}": ${observation}` };
  if (moves >= MOST_MOVES)
    return { action, observation, status: 'failed', feedback: `not done after ${moves} moves, the last was "${action}"` };
  return { action, observation, status: 'continue' };
}
