import Mocha from 'mocha';

/** Mocha takes one reporter: this one shows the specification on screen and writes the same run as JSON to `output`. */
export default class SpecAndJson extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    new Mocha.reporters.JSON(runner, options);
  }
}
