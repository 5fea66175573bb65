import Mocha from 'mocha';

/**
 * Mocha takes one reporter: this one shows the specification on screen and writes the same run as JSON to `output`. Plain
 * JavaScript, since mocha requires its reporter, and `tsx/esm` is only for what is imported.
 */
export default class SpecAndJson extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    new Mocha.reporters.JSON(runner, options);
  }
}
