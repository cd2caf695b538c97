-- reference copies leave the shelf, not the house
with lent as (
  select i.kind, m.age_group, l.loan_id
  from loans l, items i, members m
  where l.item_id = i.item_id
    and l.member_id = m.member_id
    and l.branch = {{ branch }}
    and i.for_loan = 'y'
    and l.out_on between {{ period.start }} and {{ period.end }}
)
select {{ by }} as part, count(*) as loans
from lent
group by 1
order by 1
