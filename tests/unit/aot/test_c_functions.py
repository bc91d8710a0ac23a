"""Custom calls and assertions of programs in C."""

from __future__ import annotations

from pathlib import Path

from c_programs import START, needs_a_compiler, output, write

pytestmark = needs_a_compiler

HOOK = """func.func @main(%x: tensor<3xf32>, %k: tensor<2x2xi8>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  %1 = stablehlo.custom_call @my.scale(%0, %k) {backend_config = "by 10"}
    : (tensor<3xf32>, tensor<2x2xi8>) -> tensor<3xf32>
  %2 = stablehlo.add %1, %x : tensor<3xf32>
  return %2 : tensor<3xf32>
}"""

ASSERTION = """func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %holds = stablehlo.compare GT, %x, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%holds) {
    error_message = "too small", has_side_effect = true
  } : (tensor<i1>) -> ()
  %0 = stablehlo.add %x, %one : tensor<i32>
  return %0 : tensor<i32>
}"""


def test_custom_calls_are_c_functions(tmp_path: Path) -> None:
    """They are told of the call; a number other than 0 ends it."""
    compiled = write(tmp_path, HOOK, standalone=True)
    assert "shlo_call_my_scale" in compiled.undefined
    printed = output(
        tmp_path,
        START
        + """
        int shlo_call_my_scale(const struct shlo_custom_call *call, const void *const *operands,
            void *const *results) {
          const float *x = operands[0];
          const signed char *k = operands[1];
          float *y = results[0];
          int64_t n;
          if (k[0] < 0) return 7;
          printf("%s|%s|%d %d|%s %d|%d ", call->target, call->config, (int)call->operand_count,
              (int)call->result_count, call->operands[1].type, (int)call->operands[1].sizes[1],
              (int)call->results[0].bytes);
          for (n = 0; n < call->results[0].sizes[0]; ++n) y[n] = 10 * x[n] + k[3];
          return 0;
        }
        int main(void) {
          float x[3] = {1, 2, 3}, y[3];
          signed char k[4] = {0, 0, 0, 5};
          int status = model_main_call(0, x, (const int8_t *)k, y);
          printf("%d %g ", status, y[2]);
          k[0] = -1;
          printf("%d\\n", model_main_call(0, x, (const int8_t *)k, y));
          return 0;
        }""",
        "model.o",
    )
    assert printed == "my.scale|by 10|2 1|i8 2|12 0 68 -3\n"


def test_assertions_have_a_status(tmp_path: Path) -> None:
    write(tmp_path, ASSERTION, standalone=True)
    printed = output(
        tmp_path,
        START
        + """int main(void) {
          int32_t x = 5, y = 0;
          printf("%d ", model_main_call(0, &x, &y));
          printf("%d ", (int)y);
          x = 0;
          printf("%d\\n", model_main_call(0, &x, &y));
          return 0;
        }""",
        "model.o",
    )
    assert printed == "0 6 -18\n"
