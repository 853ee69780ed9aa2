"""Words that ordinary documents use for one another: "vacation" in the question, "leave" in the policy.

A class a line. The likeness they give is less than that of the word itself.
"""

from typing import Final

from nodes.rules.words import stem

_EN: Final = """
vacation holiday leave
employee staff worker personnel
cost price fee charge rate amount
salary wage pay
buy purchase
start begin commence effective
end finish expire
introduce launch release ship publish issue
add introduce
replace supersede
remove drop discontinue
outage downtime unavailable duration down
last duration
lead leader head manage manager responsible
boss manager supervisor
approve approval sign-off
author write
maximum limit most cap
minimum least
allow permit include
send submit
refund reimburse reimbursement return
cause reason
fix solve resolve repair
notice notify notification
cancel terminate termination
deadline due date
teacher instructor lecturer professor teach
course class module
exam examination test
warranty guarantee
weigh weight
big size large
length long duration
validity valid expire
meet meeting
attend attendance participant
participant attendee
homework assignment
grade mark score
store keep
deliver delivery ship
password credential
headquarter base office
frequent often
telephone phone
email mail
bake oven
decide decision
host moderate chair
student learner
lesson session
founder found
create make
"""
_ZH: Final = """
员工 职工 雇员 人员
费用 价格 价钱 售价 单价 金额 收费
年假 带薪假
推出 发布 上市 上线
成立 创立 创办 创建
创始人 创办人 创立者
负责人 主管 牵头人
负责 牵头
总部 办公地点
有效期 期限 时效
开始 起
生效 施行 实施 执行
审批 批准
提交 递交
保修期 质保期 保修
重量 重
电话 热线 号码
地点 地址
会议 例会
老师 教师 讲师 授课教师
学分 分值
考试 考核
上课 授课
甲方 采购方 买方
乙方 供货方 卖方
违约金 罚金
交货 交付
报名 注册
退款 退费
原因 起因
"""


def _classes(table: str) -> list[frozenset[str]]:
    return [frozenset(line.split()) for line in table.strip().splitlines()]


def _index(classes: list[frozenset[str]]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for members in classes:
        for word in members:
            found[word] = found.get(word, frozenset()) | members - {word}
    return found


ENGLISH: Final = _index([frozenset(stem(word) for word in members) for members in _classes(_EN)])
"""Other stems that may stand for an English stem."""

CHINESE: Final = _index(_classes(_ZH))
"""Other words that may stand for a Chinese word."""
